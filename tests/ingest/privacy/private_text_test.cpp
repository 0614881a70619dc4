#include "ingest/privacy/private_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "ingest/privacy/private_path.h"

namespace stepsim::ingest {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Returns "kind:text" for each private piece of the text.
std::vector<std::string> found_in(std::string_view text) {
  std::vector<std::string> found;
  for (const PrivatePiece& piece : find_private(text)) {
    found.push_back(std::string(to_text(piece.kind)) + ":" +
                    std::string(text.substr(piece.begin, piece.end - piece.begin)));
  }
  return found;
}

TEST(PrivateTextTest, TokensAreKnownByHowTheirIssuersBeginThem) {
  EXPECT_THAT(found_in("use hf_AbCdEfGhIjKlMnOpQrStUvWx12 now"), ElementsAre("secret:hf_AbCdEfGhIjKlMnOpQrStUvWx12"));
  EXPECT_THAT(found_in("ghp_abcdefghijklmnopqrstuvwxyz0123456789"),
              ElementsAre("secret:ghp_abcdefghijklmnopqrstuvwxyz0123456789"));
  EXPECT_THAT(found_in("AKIAIOSFODNN7EXAMPLE"), ElementsAre("secret:AKIAIOSFODNN7EXAMPLE"));
  EXPECT_THAT(found_in("sk-proj-abcdefghij0123456789"), ElementsAre("secret:sk-proj-abcdefghij0123456789"));
  EXPECT_EQ(find_private("ghp_abcdefghijklmnopqrstuvwxyz0123456789").front().what, "GitHub token");
}

TEST(PrivateTextTest, ValuesOfVariablesThatAreNamedLikeSecretsAreSecrets) {
  EXPECT_THAT(found_in("WANDB_API_KEY=0123abcd HOME=x"), ElementsAre("secret:0123abcd"));
  EXPECT_THAT(found_in("run --token abc1"), ElementsAre("secret:abc1"));
  EXPECT_THAT(found_in("password: hunter2"), ElementsAre("secret:hunter2"));
  EXPECT_THAT(found_in("https://bob:pw@git.example/x"), ElementsAre("secret:https://bob:pw@git.example/x"));
}

TEST(PrivateTextTest, ValuesEndWhereTheirFormEnds) {
  EXPECT_THAT(found_in("DB_PASSWORD=a,b;c run"), ElementsAre("secret:a,b;c"));
  EXPECT_THAT(found_in("DB_PASSWORD='a b' run"), ElementsAre("secret:a b"));
  EXPECT_THAT(found_in("DB_PASSWORD = 48151623 run"), ElementsAre("secret:48151623"));
  EXPECT_THAT(found_in("f(password=a, n=3)"), ElementsAre("secret:a"));
  EXPECT_THAT(found_in(R"({"password": "a b", "n": 3})"), ElementsAre("secret:a b"));
  EXPECT_THAT(found_in(R"({\"password\": \"a b\"})"), ElementsAre("secret:a b"));
  EXPECT_THAT(found_in("x?a=1&token=abc&b=2"), ElementsAre("secret:abc"));
  EXPECT_THAT(found_in("x?token%3Dabc"), ElementsAre("secret:abc"));
  EXPECT_THAT(found_in("Authorization: Bearer abc def"), ElementsAre("secret:Bearer abc"));
  EXPECT_THAT(found_in("max_tokens=8 token::kind secret::kind"), IsEmpty());
}

TEST(PrivateTextTest, TokensInsideWordsAreKnownByTheirRandomCharacters) {
  EXPECT_THAT(found_in("k_hf_aB3dE5gH7jK9mN1pQ3sT5vW7"), ElementsAre("secret:hf_aB3dE5gH7jK9mN1pQ3sT5vW7"));
  EXPECT_THAT(found_in("cutlass_hf_gemm_128x128_ldg8_stages_32x3_tn"), IsEmpty());
}

TEST(PrivateTextTest, PasswordsOfCommandsAreFoundByTheirShortOption) {
  EXPECT_THAT(found_in("mysql -u root -phunter2 -h db"), ElementsAre("secret:hunter2"));
  EXPECT_THAT(found_in("mysqldump -p'my cat' db"), ElementsAre("secret:my cat"));
  EXPECT_THAT(found_in("/usr/bin/mysql -phunter2"), ElementsAre("path:/usr/bin/mysql", "secret:hunter2"));
  EXPECT_THAT(found_in("sshpass -p hunter2 ssh node"), ElementsAre("secret:hunter2"));
  EXPECT_THAT(found_in("redis-cli -a hunter2"), ElementsAre("secret:hunter2"));
  EXPECT_THAT(found_in("curl -u bob:hunter2"), ElementsAre("secret:bob:hunter2"));
  // The option -p of mysql takes no password if a blank follows it ("shop" is a database). The option -p of mkdir and
  // of an unknown command takes no password.
  EXPECT_THAT(found_in("mysql -p shop"), IsEmpty());
  EXPECT_THAT(found_in("mysql; mkdir -pstuff"), IsEmpty());
  EXPECT_THAT(found_in("run -phunter2"), IsEmpty());
}

TEST(PrivateTextTest, AllPasswordsOfACommandAreFound) {
  EXPECT_THAT(found_in("curl -u bob:hunter2 a --next -u eve:hunter3 b"),
              ElementsAre("secret:bob:hunter2 a --next -u eve:hunter3"));
}

TEST(PrivateTextTest, AWorkingFolderIsNoPassword) {
  EXPECT_THAT(found_in("DB_PWD=hunter2 run"), ElementsAre("secret:hunter2"));
  EXPECT_THAT(found_in("pwd: hunter2"), ElementsAre("secret:hunter2"));
  EXPECT_THAT(found_in("PWD=/data/x OLDPWD=/data/y"), ElementsAre("path:/data/x", "path:/data/y"));
}

TEST(PrivateTextTest, WhereFormsOverlapTheFirstOneCounts) {
  EXPECT_THAT(found_in("https://git.example/x?token=abc"), ElementsAre("host name:https://git.example/x?token=abc"));
  EXPECT_THAT(found_in("hf_aB3dE5gH7jK9mN1pQ3sT5vW7/rank0.json"),
              ElementsAre("secret:hf_aB3dE5gH7jK9mN1pQ3sT5vW7", "path:/rank0.json"));
  EXPECT_THAT(found_in("git@github.com:org/repo"), ElementsAre("e-mail address:git@github.com", "host name::org/repo"));
}

TEST(PrivateTextTest, TextsMayContainAnyBytes) {
  EXPECT_THAT(found_in("\xff/data/x\xff"), ElementsAre("path:/data/x"));
  EXPECT_THAT(found_in("\xc3password=\xff\xfe y"), ElementsAre("secret:\xff\xfe"));
}

TEST(PrivateTextTest, APrivateKeyOfSeveralLinesIsSeenToBeginAndToEnd) {
  EXPECT_TRUE(opens_private_key("x -----BEGIN OPENSSH PRIVATE KEY-----"));
  EXPECT_FALSE(opens_private_key("-----BEGIN PRIVATE KEY-----abc-----END PRIVATE KEY-----"));
  EXPECT_FALSE(opens_private_key("-----BEGIN CERTIFICATE-----"));
  EXPECT_TRUE(closes_private_key("-----END RSA PRIVATE KEY-----"));
}

TEST(PrivateTextTest, PeopleMachinesAndFilesAreFound) {
  EXPECT_THAT(found_in("by alice@corp.example.com"), ElementsAre("e-mail address:alice@corp.example.com"));
  EXPECT_THAT(found_in("at 10.20.30.40:29500"), ElementsAre("IP address:10.20.30.40"));
  EXPECT_THAT(found_in("/home/alice/proj/train.py(12): main"), ElementsAre("path:/home/alice/proj/train.py"));
  EXPECT_THAT(found_in("train.py(12): main"), ElementsAre("path:train.py"));
  EXPECT_THAT(found_in("C:\\Users\\bob\\x.py"), ElementsAre("path:C:\\Users\\bob\\x.py"));
  EXPECT_THAT(found_in("s3://bucket/key"), ElementsAre("host name:s3://bucket/key"));
}

TEST(PrivateTextTest, HostsAndAddressesAreFoundByTheirForm) {
  EXPECT_THAT(found_in("scp zelda@box:/data/x"), ElementsAre("host name:zelda@box:/data/x"));
  EXPECT_THAT(found_in("on gpu7.corp.internal."), ElementsAre("host name:gpu7.corp.internal"));
  EXPECT_THAT(found_in("ip-10-20-30-40.ec2 now"), ElementsAre("host name:ip-10-20-30-40.ec2"));
  EXPECT_THAT(found_in("node-10.20.30.40-x"), ElementsAre("IP address:10.20.30.40"));
  EXPECT_THAT(found_in("to 2001:db8:85a3::8a2e:370:7334 5"), ElementsAre("IP address:2001:db8:85a3::8a2e:370:7334"));
  EXPECT_THAT(found_in("card 00:1b:44:11:3a:b7"), ElementsAre("IP address:00:1b:44:11:3a:b7"));
  EXPECT_THAT(found_in("12:34:56 c10::add::f0 0000:3b:00.0 shape 1:2:3 thread.local_x"), IsEmpty());
}

TEST(PrivateTextTest, PathsGoOnBehindBracketsAndOnWindowsBehindBlanks) {
  EXPECT_THAT(found_in("/data/proj(zelda)/x.py(3): f"), ElementsAre("path:/data/proj(zelda)/x.py"));
  EXPECT_THAT(found_in("C:\\Users\\zelda smith\\x.py and more"), ElementsAre("path:C:\\Users\\zelda smith\\x.py"));
  EXPECT_THAT(found_in("\\\\server\\share\\x.py"), ElementsAre("path:\\\\server\\share\\x.py"));
  EXPECT_THAT(found_in("cd /zeldasecret"), ElementsAre("path:/zeldasecret"));
  EXPECT_THAT(found_in("cd /tmp /Relu and/or"), IsEmpty());
}

TEST(PrivateTextTest, OnlyKnownFoldersOfPublicPackagesAreOpen) {
  EXPECT_THAT(found_in("triton/zelda/x.py"), ElementsAre("path:triton/zelda/x.py"));
  EXPECT_THAT(found_in("transformers/models/llama/modeling_llama.py(7): f torch/_tensor.py(3): g"), IsEmpty());
  EXPECT_THAT(found_in("/opt/lib/python3.11/zelda/x.py"), ElementsAre("path:/opt/lib/python3.11/zelda/x.py"));
  EXPECT_THAT(found_in("/opt/lib/python3.11/asyncio/base.py"), ElementsAre("path:/opt/lib/python3.11/"));
}

TEST(PrivateTextTest, WhatEverybodyHasIsNotPrivate) {
  EXPECT_THAT(found_in(" . ... "), IsEmpty());
  EXPECT_THAT(found_in("torch/nn/modules/module.py(1501): _call_impl"), IsEmpty());
  EXPECT_THAT(found_in("/opt/conda/lib/python3.10/site-packages/torch/nn/m.py(3): f"),
              ElementsAre("path:/opt/conda/lib/python3.10/site-packages/"));
  EXPECT_THAT(found_in("127.0.0.1"), IsEmpty());
  EXPECT_THAT(found_in("# yaml-language-server: $schema=../../schemas/job.schema.json"), IsEmpty());
  EXPECT_THAT(found_in("$schema=../alice/schemas/job.schema.json"),
              ElementsAre("path:../alice/schemas/job.schema.json"));
}

TEST(PrivateTextTest, NamesOfWorkHoldNothingPrivate) {
  constexpr std::string_view kKernel =
      "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> "
      ">(int, at::native::CUDAFunctor_add<float>)";
  for (const std::string_view name : std::initializer_list<std::string_view>{
           "aten::mm", "ProfilerStep#12", "nn.Module: Linear_1", "Memcpy HtoD (Pageable -> Device)", "stream 7",
           kKernel, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
           "Optimizer.step#SGD.step", "Comm.byteps.gradient_7.PUSH", "gradients/conv1/BiasAddGrad", "num_tokens: 512",
           "autograd::engine::evaluate_function: AddmmBackward0",
           "sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize64x64"}) {
    EXPECT_THAT(found_in(name), IsEmpty()) << name;
  }
}

TEST(PrivateTextTest, MembersAreKnownByTheirNames) {
  EXPECT_EQ(names_secret("HF_TOKEN"), SecretName::kOrCount);
  EXPECT_EQ(names_secret("num_tokens"), SecretName::kOrCount);
  EXPECT_EQ(names_secret("aws_secret_access_key"), SecretName::kSecret);
  EXPECT_EQ(names_secret("Authorization"), SecretName::kSecret);
  EXPECT_EQ(names_secret("pwd"), SecretName::kSecret);
  EXPECT_EQ(names_secret("author"), SecretName::kNone);
  EXPECT_EQ(names_secret("PWD"), SecretName::kNone);
  EXPECT_EQ(names_secret("Input type"), SecretName::kNone);
  EXPECT_TRUE(names_user("username"));
  EXPECT_TRUE(names_host("host_name"));
  EXPECT_FALSE(names_host("Src Rank"));
}

TEST(PrivateTextTest, UsersAreFoundInPathsUnlessManyHaveTheirName) {
  EXPECT_EQ(user_in_path("/home/alice/x"), "alice");
  EXPECT_EQ(user_in_path("/tmp/torchinductor_bob/ab/c.py"), "bob");
  EXPECT_EQ(user_in_path("/home/ubuntu/x"), "");
  EXPECT_EQ(user_in_path("/usr/lib"), "");
}

}  // namespace
}  // namespace stepsim::ingest
