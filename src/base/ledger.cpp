#include "base/ledger.hpp"

#include <utility>

namespace vicinal::inline VICINAL_API {
namespace {

thread_local MemoryLedger* in_force = nullptr;

}  // namespace

MemoryLedger* MemoryLedger::current() {
    return in_force;
}

LedgerScope::LedgerScope(MemoryLedger* ledger) : before_(std::exchange(in_force, ledger)) {}

LedgerScope::~LedgerScope() {
    in_force = before_;
}

}  // namespace vicinal::inline VICINAL_API
