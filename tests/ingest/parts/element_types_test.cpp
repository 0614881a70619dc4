#include "ingest/parts/element_types.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace stepsim::ingest {
namespace {

void expect_size(std::int64_t bytes, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) EXPECT_EQ(element_size(name), bytes) << name;
}

// The width in a type's name, or sizeof on 64-bit Linux.
TEST(ElementTypesTest, EverySpellingHasTheSizeOfItsType) {
  expect_size(1, {"Char", "signed char", "char", "Byte", "unsigned char", "Bool", "bool", "int8", "UINT8", "ncclInt8"});
  expect_size(1, {"Float8_e4m3fn", "Float8_e5m2", "Float8_e4m3fnuz", "Float8_e5m2fnuz", "Float8_e8m0fnu"});
  expect_size(1, {"c10::Float8_e4m3fn", "ncclFloat8e4m3", "ncclFloat8e5m2", "torch.float8_e5m2"});
  expect_size(2,
              {"Half", "c10::Half", "half", "float16", "FP16", "ncclFloat16", "BFloat16", "c10::BFloat16", "bfloat16"});
  expect_size(2, {"BF16", "BFP16", "ncclBfloat16", "Short", "short int", "int16", "UInt16", "unsigned short"});
  expect_size(4, {"Float", "float", "float32", "FP32", "ncclFloat32", "Int", "int", "INT32", "UInt32", "unsigned int"});
  expect_size(4, {"ComplexHalf", "c10::complex<c10::Half>", "ncclUint32"});
  expect_size(8, {"Double", "double", "float64", "FP64", "ncclFloat64", "Long", "long", "long int", "long long int"});
  expect_size(8, {"INT64", "UInt64", "unsigned long int", "ComplexFloat", "c10::complex<float>", "complex64"});
  expect_size(16, {"ComplexDouble", "c10::complex<double>", "complex128"});
}

TEST(ElementTypesTest, PythonsTypesAreTheSameTypes) {
  for (const char* const name : {"float16", "torch.float16", "<class 'numpy.float16'>", "<dtype: 'float16'>"})
    EXPECT_EQ(find_element_type(name), find_element_type("c10::Half")) << name;
}

TEST(ElementTypesTest, OtherTextsAreNoTypes) {
  expect_size(0, {"", " ", "Scalar", "TensorList", "GenericList[Tensor(float)]", "'>", "nccl", "float17",
                  "a name that is longer than all names of types"});
}

TEST(ElementTypesTest, TypesOfFloatsHaveAPrecision) {
  EXPECT_EQ(find_element_type("c10::BFloat16")->precision, Precision::kFloat16);
  EXPECT_EQ(find_element_type("c10::complex<double>")->precision, Precision::kFloat64);
  EXPECT_EQ(find_element_type("Float8_e5m2")->precision, Precision::kFloat8);
  EXPECT_EQ(find_element_type("long int")->kind, ElementKind::kOther);
  EXPECT_EQ(find_element_type("float")->kind, ElementKind::kFloat);
  EXPECT_EQ(find_element_type("BFP16")->name, "BFloat16");
}

}  // namespace
}  // namespace stepsim::ingest
