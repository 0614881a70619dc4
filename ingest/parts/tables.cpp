#include "ingest/parts/tables.h"

#include <vector>

#include "ingest/parts/busy_time.h"

namespace stepsim::ingest {
namespace {

/// Moves the times of a trace to earlier ones.
class Moving {
 public:
  explicit Moving(Duration earlier) : earlier_(earlier) {}

  template <Role kRole, class Column>
  void column(Field<kRole, Column> column) const {
    if constexpr (kRole == Role::kTime) {
      for (Time& one : column.value) move(one);
    }
  }
  template <class Row>
  void rows(std::vector<Row>& rows) const {
    for (Row& row : rows) {
      for_each_in(
          [this](auto field) {
            if constexpr (decltype(field)::kRole == Role::kTime) move(field.value);
          },
          fields(row));
    }
  }

 private:
  void move(Time& time) const {
    if (in_time(time)) time -= earlier_;
  }

  Duration earlier_;
};

}  // namespace

void move_earlier(HostDeviceTrace& trace, Duration time) { for_each_table(Moving{time}, trace); }

}  // namespace stepsim::ingest
