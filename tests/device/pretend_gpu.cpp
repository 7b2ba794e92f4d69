// A device that calls itself `cuda` and computes on the CPU, for code that has no GPU at hand.
//
// As on a GPU, operations refuse tensors of two devices, and `cumsum` of fractions refuses to be
// deterministic. `on_wait` is told what would make the CPU wait: reading a value, a size that
// depends on values, and copies of memory that is not pinned. `calls` counts operations but those
// that only view memory, as a GPU would be called for each.
#include <ATen/Context.h>
#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/core/impl/alloc_cpu.h>
#include <c10/util/ScopeExit.h>
#include <torch/library.h>

#include <cstring>
#include <set>
#include <string>

using namespace at;
using c10::Stream;

const Device GPU{kCUDA, 0};
const DispatchKeySet KEYS{DispatchKey::CUDA};
const std::set<std::string> SIZED_BY_VALUES{
    "aten::nonzero", "aten::masked_select", "aten::_unique2", "aten::unique_consecutive",
    "aten::repeat_interleave", "aten::bincount"};
const std::set<std::string> READ{"aten::_local_scalar_dense", "aten::equal", "aten::is_nonzero"};
thread_local bool on_host = false;  // the copies of an operation that moved to the CPU

extern "C" {
void (*on_wait)(const char* reason) = nullptr;
int64_t calls = 0;
}

void wait(const char* reason) {
  if (on_wait && !on_host) on_wait(reason);
}

struct Guard final : c10::impl::NoOpDeviceGuardImpl<DeviceType::CUDA> {
  Device exchangeDevice(Device) const override { return GPU; }
  Device getDevice() const override { return GPU; }
  Stream getStream(Device) const noexcept override { return Stream(Stream::DEFAULT, GPU); }
  Stream exchangeStream(Stream) const noexcept override { return Stream(Stream::DEFAULT, GPU); }
  void record(void**, const Stream&, DeviceIndex, c10::EventFlag) const override {}
  void block(void*, const Stream&) const override {}
};
C10_REGISTER_GUARD_IMPL(CUDA, Guard)

struct Memory final : Allocator {
  const Device device;
  explicit Memory(Device device) : device(device) {}
  static void release(void* data) { c10::free_cpu(data); }
  DataPtr allocate(size_t size) override {
    void* data = c10::alloc_cpu(size);
    return {data, data, &release, device};
  }
  void copy_data(void* to, const void* from, size_t size) const override {
    std::memcpy(to, from, size);
  }
};
Memory gpu_memory{GPU}, pinned_memory{kCPU};

bool pinned(const Tensor& x) {
  return x.storage().data_ptr().get_deleter() == &Memory::release;
}

namespace at {
struct PretendHooks final : CUDAHooksInterface {
  explicit PretendHooks(CUDAHooksArgs) {}
  void init() const override {}
  bool hasCUDA() const override { return true; }
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(DeviceIndex) const override { return true; }
  DeviceIndex deviceCount() const override { return 1; }
  DeviceIndex getCurrentDevice() const override { return 0; }
  Allocator* getPinnedMemoryAllocator() const override { return &pinned_memory; }
};
C10_REGISTER_TYPED_CLASS(CUDAHooksRegistry, "CUDAHooks", PretendHooks)
}  // namespace at

Tensor empty(
    IntArrayRef size, std::optional<ScalarType> type, std::optional<Layout>, std::optional<Device>,
    std::optional<bool>, std::optional<MemoryFormat> format) {
  const auto dtype = c10::dtype_or_default(type);
  return Tensor(at::detail::empty_generic(size, &gpu_memory, KEYS, dtype, format));
}

Tensor empty_strided(
    IntArrayRef size, IntArrayRef stride, std::optional<ScalarType> type, std::optional<Layout>,
    std::optional<Device>, std::optional<bool>) {
  const auto dtype = c10::dtype_or_default(type);
  return Tensor(at::detail::empty_strided_generic(size, stride, &gpu_memory, KEYS, dtype));
}

// The same memory as a tensor of the CPU.
Tensor host(const Tensor& x) {
  if (x.is_cpu()) return x;
  return from_blob(x.data_ptr(), x.sizes(), x.strides(), x.options().device(kCPU));
}

Tensor& copy(Tensor& self, const Tensor& from, bool non_blocking) {
  const bool crosses = self.device() != from.device();
  if (crosses && !(non_blocking && pinned(self.is_cpu() ? self : from)))
    wait(self.is_cpu() ? "copy to the CPU" : "copy of memory that is not pinned");
  calls += !on_host;
  host(self).copy_(host(from));
  return self;
}

Tensor& set_storage(
    Tensor& self, Storage storage, int64_t offset, IntArrayRef size, IntArrayRef stride) {
  auto* found = self.unsafeGetTensorImpl();
  found->set_storage_keep_dtype(std::move(storage));
  found->set_storage_offset(offset);
  stride.empty() ? found->set_sizes_contiguous(size) : found->set_sizes_and_strides(size, stride);
  return self;
}

// Returns the result of an operation on the CPU.
Tensor copy_back(const Tensor& from, const Tensor& result) {
  Tensor self = result;
  if (self.sizes() != from.sizes()) {  // an `out` that began empty
    const auto own = empty(from.sizes(), self.scalar_type(), {}, {}, {}, {});
    set_storage(self, own.storage(), 0, from.sizes(), {});
  }
  host(self).copy_(from);
  return self;
}

void compute_on_host(const c10::OperatorHandle& operation, torch::jit::Stack* stack) {
  const auto& name = operation.schema().name();
  const auto inputs = torch::jit::last(*stack, operation.schema().arguments().size());
  const bool indexes = name.find("index") != std::string::npos;
  bool here = false, there = false, masks = false;
  for (size_t i = 0; i < inputs.size(); i++) {
    if (inputs[i].isOptionalTensorList() && indexes) {
      for (const std::optional<Tensor>& x : inputs[i].toOptionalTensorList())
        masks |= x && (x->scalar_type() == kBool || x->scalar_type() == kByte);
    }
    const auto each = inputs[i].isTensor()       ? std::vector{inputs[i].toTensor()}
                      : inputs[i].isTensorList() ? inputs[i].toTensorVector()
                                                 : std::vector<Tensor>{};
    for (const auto& x : each) {
      here |= x.defined() && x.is_cpu() && x.dim() > 0;
      there |= x.defined() && x.is_cuda();
    }
  }
  TORCH_CHECK(!(here && there), "Expected all tensors to be on the same device: ", name);
  if (name == "aten::cumsum" && inputs[0].toTensor().is_floating_point())
    globalContext().alertNotDeterministic("cumsum_cuda_kernel");
  if (READ.count(name)) wait("read of a value");
  if (SIZED_BY_VALUES.count(name) || masks) wait("size that depends on values");
  calls++;
  on_host = true;
  const auto end = c10::make_scope_exit([] { on_host = false; });
  native::cpu_fallback(operation, stack, /*error_on_views=*/true);
}

TORCH_LIBRARY_IMPL(aten, CUDA, m) {
  m.impl("empty.memory_format", empty);
  m.impl("empty_strided", empty_strided);
  m.impl("as_strided", native::as_strided_tensorimpl);
  m.impl("view", native::view);
  m.impl("_reshape_alias", native::_reshape_alias);
  m.impl("set_.source_Storage", native::set_);
  m.impl("set_.source_Storage_storage_offset", set_storage);
  m.impl("copy_", copy);
  m.impl("_copy_from_and_resize", copy_back);
  for (const auto* name : {"_foreach_copy_", "_foreach_add_.List"})  // else one call a tensor
    m.impl(name, torch::CppFunction::makeFromBoxedFunction<&compute_on_host>());
}

TORCH_LIBRARY_IMPL(_, CUDA, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&compute_on_host>());
}
