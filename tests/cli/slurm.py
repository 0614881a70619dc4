"""A Slurm of this machine alone: munged, slurmctld and slurmd as processes in a temporary folder, for tests as root.
Several of them can run at the same time."""
import os
import shutil
import socket
import subprocess
import tempfile
import time

DAEMONS = ("munged", "slurmctld", "slurmd")
LOGS = ("munged.log", "slurmctld.log", "slurmd.log")
SECONDS = 300  # in which a daemon must answer; they take one or two
# config_overrides: the node has the CPUs that are said here, whatever slurmd finds.
CONFIGURATION = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmdParameters=config_overrides
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


class NotStarted(Exception):
    pass


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

    def __init__(self, cpus=len(os.sched_getaffinity(0))):
        self.cpus = cpus

    def __enter__(self):
        for tries in range(3):
            try:
                return self.start()
            except NotStarted as problem:  # for example, another process has taken a port that was free
                print(f"Slurm did not start: {problem}\n{self.logs()}")
                self.stop()
        raise RuntimeError("Slurm did not start; see above")

    def start(self):
        self.daemons = []
        self.root = tempfile.mkdtemp(prefix="slurm-")
        os.chmod(self.root, 0o755)  # munged refuses a folder that only root may enter
        at = lambda name: os.path.join(self.root, name)
        for folder in ("state", "spool"):
            os.mkdir(at(folder))
        with open(at("key"), "wb") as key:
            os.chmod(key.name, 0o600)
            key.write(os.urandom(1024))
        with open(at("slurm.conf"), "w") as file:
            file.write(CONFIGURATION.format(host=socket.gethostname().split(".")[0], root=self.root, ports=free_ports(2), cpus=self.cpus))
        self.environment = {"SLURM_CONF": at("slurm.conf")}
        self.daemon("munged", "--foreground", "--force", "--key-file", at("key"), "--socket", at("munge"), "--pid-file", at("munged.pid"),
                    "--log-file", at("munged.log"), "--seed-file", at("seed"), "--num-threads", "1")
        self.wait_until(lambda: os.path.exists(at("munge")))
        self.daemon("slurmctld", "-D", "-f", at("slurm.conf"))
        self.wait_until(lambda: self.run("sinfo", "--noheader").stdout)
        self.daemon("slurmd", "-D", "-f", at("slurm.conf"))
        self.wait_until(lambda: "idle" in self.run("sinfo", "--noheader", "--format=%T").stdout)
        return self

    def daemon(self, *command):
        path = shutil.which(command[0], path=os.environ["PATH"] + ":/usr/sbin")
        self.daemons.append(subprocess.Popen([path, *command[1:]], env={**os.environ, **self.environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def run(self, *command):
        return subprocess.run(command, env={**os.environ, **self.environment}, capture_output=True, text=True)

    def jobs(self):
        """Returns what squeue lists, once it answers."""
        deadline = time.monotonic() + SECONDS
        while (done := self.run("squeue", "--noheader")).returncode != 0:
            if time.monotonic() > deadline:
                raise RuntimeError(f"squeue: {done.stderr}\n{self.logs()}")
            time.sleep(0.1)
        return done.stdout.strip()

    def wait_until(self, ready):
        deadline = time.monotonic() + SECONDS
        while not ready():
            ended = [daemon.args[0] for daemon in self.daemons if daemon.poll() is not None]
            if ended or time.monotonic() > deadline:
                raise NotStarted(f"{ended[0]} has ended" if ended else f"it does not answer after {SECONDS} s")
            time.sleep(0.1)

    def logs(self):
        """Returns the end of each daemon's log."""
        text = ""
        for name in LOGS:
            path = os.path.join(self.root, name)
            if os.path.exists(path):
                with open(path, errors="replace") as file:
                    text += f"--- {name}\n" + "".join(file.readlines()[-60:])
        return text

    def stop(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
            daemon.wait()
        shutil.rmtree(self.root, ignore_errors=True)

    def __exit__(self, failure, *_):
        if failure:
            print(self.logs())
        self.stop()
