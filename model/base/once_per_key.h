#ifndef STEPSIM_MODEL_BASE_ONCE_PER_KEY_H
#define STEPSIM_MODEL_BASE_ONCE_PER_KEY_H

#include <cstddef>
#include <exception>
#include <future>
#include <map>
#include <mutex>
#include <utility>

namespace stepsim {

/// Values that are made once for each key, whichever thread asks first. Thread-safe.
template <class Key, class Value>
class OncePerKey {
 public:
  /// Returns the value of `key`, which the first call makes with make(); calls of other threads wait for it. What
  /// make() throws, all calls for this key throw.
  template <class Make>
  Value of(const Key& key, Make make) {
    std::promise<Value> promise;
    std::unique_lock lock(mutex_);
    const auto [slot, mine] = values_.try_emplace(key);
    if (mine) slot->second = promise.get_future().share();
    const std::shared_future<Value> value = slot->second;
    lock.unlock();
    if (!mine) return value.get();
    try {
      promise.set_value(make());
    } catch (...) {
      promise.set_exception(std::current_exception());
    }
    return value.get();
  }
  /// Forgets the values whose key fulfils the predicate. O(keys).
  template <class Predicate>
  void erase_if(Predicate predicate) {
    const std::lock_guard lock(mutex_);
    std::erase_if(values_, [&predicate](const auto& entry) { return predicate(entry.first); });
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    values_.clear();
  }
  [[nodiscard]] std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return values_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::map<Key, std::shared_future<Value>> values_;
};

}  // namespace stepsim

#endif
