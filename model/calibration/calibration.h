#ifndef STEPSIM_MODEL_CALIBRATION_CALIBRATION_H
#define STEPSIM_MODEL_CALIBRATION_CALIBRATION_H

#include <cstddef>
#include <string>
#include <vector>

#include "model/base/assumption.h"
#include "model/job/cluster.h"
#include "model/job/recording.h"

namespace stepsim {

/// One thing that was fitted, for the report and for the comments of cluster.yaml.
struct Fit {
  std::string what;   ///< "link bandwidth"
  std::string value;  ///< with its unit: "119.6 MB/s"
  std::size_t samples = 0;
  double residual = 0;  ///< median relative error of the samples under the fit
  std::string from;     ///< what the samples are: "pushes of worker 0 that had the link alone"
};

/// The hardware as a capture shows it.
struct Calibration {
  Cluster cluster;
  std::vector<Fit> fits;
  double link_rate_error = 0;  ///< rate_error() of the fit that gave links their rate; 0 if none did
  Assumptions assumptions;     ///< in place of what the capture could not show
};

/// How far the rate of a fit may be off, relative to it. The median error r of n samples leaves 1.96 * 1.25 * 1.48 r /
/// sqrt(n) for the rate, or with 95 % confidence 3.6 r / sqrt(n), of normal errors; 4 because both ends of a transfer
/// are a sample of it. Never less than a fifth of r, because what samples have in common stays however many there are,
/// nor more than r.
[[nodiscard]] double rate_error(double residual, std::size_t samples) noexcept;

/// Fits links, copies, sums and launches to what was measured. What the capture does not show
/// comes from job.yaml's network, else from defaults, and becomes an assumption. Endpoints are the
/// job's workers (or ranks) and servers.
/// Where no transfer's bytes are known and job.yaml gives no rate, the cluster has no links: network
/// models have nothing to time in such a job. Throws InputError if there are transfers with known
/// bytes and the capture does not show how fast they were.
[[nodiscard]] Calibration calibrate(const Capture& capture);

/// How many ranks, or workers and servers, send and receive in the job: by job.yaml and by
/// what the capture shows, whichever is more. Throws InputError above 100,000.
[[nodiscard]] std::size_t endpoint_count(const Capture& capture);

/// For a capture that shows nothing of the network: every host on one switch, by a link as in
/// job.yaml's network. Ranks share a host as job.yaml's local_size says.
/// Throws InputError with the remedy if job.yaml names no bandwidth.
[[nodiscard]] Calibration network_of_job_file(const Capture& capture);

/// The part of a link's rate that TCP leaves for payload: 1,448 of the 1,514 bytes of a full
/// Ethernet frame (RFC 793, RFC 7323: headers of 14, 20 and 32 bytes).
inline constexpr double kTcpEfficiency = 0.957;

/// The latency of a link where job.yaml does not say: half of what a message takes over one switch
/// in a data centre.
inline constexpr Duration kUsualLatency{5'000};

/// Adds to `result` what a device trace shows of its host, where that is not known yet: the time that
/// a kernel launch takes on the host, and the rates of copies between host and device. Adds a Fit
/// for each.
void fit_host_rates(const Capture& capture, Calibration& result);

}  // namespace stepsim

#endif
