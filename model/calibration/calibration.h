#ifndef STEPSIM_MODEL_CALIBRATION_CALIBRATION_H
#define STEPSIM_MODEL_CALIBRATION_CALIBRATION_H

#include <cstddef>
#include <string>
#include <vector>

#include "model/base/assumption.h"
#include "model/job/cluster.h"
#include "model/job/recording.h"

namespace stepsim {

/// One fitted quantity, for the report and for the comments of cluster.yaml.
struct Fit {
  std::string what;   ///< "link bandwidth"
  std::string value;  ///< value with its unit: "119.6 MB/s"
  std::size_t samples = 0;
  double residual = 0;  ///< median relative error of the samples
  std::string from;     ///< description of the samples: "pushes of worker 0 that had the link alone"
};

/// The hardware as the capture shows it.
struct Calibration {
  Cluster cluster;
  std::vector<Fit> fits;
  double link_rate_error = 0;  ///< rate_error() of the fit that set the links' rate; 0 if there was none
  Assumptions assumptions;     ///< used in place of what the capture does not show
};

/// Returns how far the rate of a fit may be off, as a share of the rate. For normal errors, a median error r
/// (`residual`) of n samples leaves an error of 1.96 * 1.25 * 1.48 r / sqrt(n) = 3.6 r / sqrt(n) with 95 % confidence.
/// The factor used is 4, because one transfer is a sample at both of its ends. The result is at least r / 5, because
/// errors that all samples share remain however many samples there are, and at most r.
[[nodiscard]] double rate_error(double residual, std::size_t samples) noexcept;

/// Fits links, copies and kernel launches to the measured times. A value that the capture does not show is taken from
/// job.yaml's network or else from defaults, and is listed as an assumption. Endpoints are the job's workers (or ranks)
/// and servers. If no transfer has known bytes and job.yaml gives no rate, the cluster has no links, because network
/// models have nothing to time. Throws InputError if transfers have known bytes but the capture does not show how fast
/// they were.
[[nodiscard]] Calibration calibrate(const Capture& capture);

/// Returns the number of ranks, or of workers and servers, in the job: the larger of what job.yaml states and what the
/// capture shows. Throws InputError above 100,000.
[[nodiscard]] std::size_t endpoint_count(const Capture& capture);

/// Returns a network for a capture that shows nothing about it: every host has one link to one switch, with the rate
/// and latency of job.yaml's network. job.yaml's local_size gives the ranks per host. Throws InputError with a remedy
/// if job.yaml has no bandwidth.
[[nodiscard]] Calibration network_of_job_file(const Capture& capture);

/// The share of a link's rate that is payload under TCP: 1,448 of the 1,514 bytes of a full Ethernet frame (RFC 793,
/// RFC 7323: headers of 14, 20 and 32 bytes).
inline constexpr double kTcpEfficiency = 0.957;

/// Link latency if job.yaml does not give it. It is half the time of a message through one switch in a data centre,
/// because such a message crosses two links.
inline constexpr Duration kUsualLatency{5'000};

/// Adds to `result` what a device trace shows about its host, unless it is already known: the host time of a kernel
/// launch and the copy rates between host and device. Adds a Fit for each.
void fit_host_rates(const Capture& capture, Calibration& result);

}  // namespace stepsim

#endif
