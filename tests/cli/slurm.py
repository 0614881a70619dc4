"""A Slurm of this machine alone: munged, slurmctld and slurmd as processes in a temporary folder, for tests as root."""
import os
import shutil
import socket
import subprocess
import tempfile
import time

DAEMONS = ("munged", "slurmctld", "slurmd")
CONFIGURATION = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
AuthInfo=socket={root}/munge
CredType=cred/munge
StateSaveLocation={root}/state
SlurmdSpoolDir={root}/spool
SlurmctldPidFile={root}/slurmctld.pid
SlurmdPidFile={root}/slurmd.pid
SlurmctldLogFile={root}/slurmctld.log
SlurmdLogFile={root}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SchedulerParameters=sched_interval=1
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def missing():
    """Returns why no Slurm can be started here, or nothing."""
    absent = [name for name in DAEMONS if shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin") is None]
    return f"{', '.join(absent)} is absent" if absent else "only root can start slurmd" if os.geteuid() != 0 else ""


def free_ports(count):
    with_ports = [socket.socket() for _ in range(count)]
    for each in with_ports:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in with_ports]
    for each in with_ports:
        each.close()
    return ports


class Slurm:
    """with Slurm() as slurm: commands with the variables slurm.environment use it. Its node has `cpus` cores."""

    def __init__(self, cpus=os.cpu_count()):
        self.cpus = cpus

    def __enter__(self):
        self.root = tempfile.mkdtemp(prefix="slurm-")
        os.chmod(self.root, 0o755)  # munged refuses a folder that only root may enter
        for folder in ("state", "spool"):
            os.mkdir(os.path.join(self.root, folder))
        with open(os.path.join(self.root, "key"), "wb") as key:
            os.chmod(key.name, 0o600)
            key.write(os.urandom(1024))
        configuration = os.path.join(self.root, "slurm.conf")
        with open(configuration, "w") as file:
            file.write(CONFIGURATION.format(host=socket.gethostname().split(".")[0], root=self.root, ports=free_ports(2), cpus=self.cpus))
        self.environment = {"SLURM_CONF": configuration}
        self.daemons = []
        at = lambda name: os.path.join(self.root, name)
        self.daemon("munged", "--foreground", "--force", "--key-file", at("key"), "--socket", at("munge"), "--pid-file", at("munged.pid"),
                    "--log-file", at("munged.log"), "--seed-file", at("seed"), "--num-threads", "1")
        self.wait_until(lambda: os.path.exists(at("munge")))
        self.daemon("slurmctld", "-D", "-f", configuration)
        self.wait_until(lambda: self.answer("sinfo", "--noheader") != "")
        self.daemon("slurmd", "-D", "-f", configuration)
        self.wait_until(lambda: "idle" in self.answer("sinfo", "--noheader", "--format=%T"))
        return self

    def daemon(self, *command):
        path = shutil.which(command[0], path=os.environ["PATH"] + ":/usr/sbin")
        self.daemons.append(subprocess.Popen([path, *command[1:]], env={**os.environ, **self.environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def answer(self, *command):
        return subprocess.run(command, env={**os.environ, **self.environment}, capture_output=True, text=True).stdout.strip()

    def wait_until(self, ready):
        for _ in range(300):
            if ready():
                return
            time.sleep(0.1)
        self.__exit__()
        raise RuntimeError("Slurm did not start; its logs were in " + self.root)

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.terminate()
            daemon.wait()
        shutil.rmtree(self.root, ignore_errors=True)
