package check

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
)

const npmLock = `{
  "name": "shop",
  "lockfileVersion": 3,
  "packages": {
    "": {
      "name": "shop"
    },
    "node_modules/a": {
      "version": "1.0.0",
      "resolved": "https://registry.npmjs.org/a/-/a-1.0.0.tgz",
      "integrity": "sha512-AAAA",
      "funding": {
        "url": "https://opencollective.com/a"
      }
    },
    "node_modules/own": {
      "version": "2.0.0",
      "resolved": "https://npm.shop.example:8443/own/-/own-2.0.0.tgz",
      "integrity": "sha512-BBBB"
    },
    "node_modules/g": {
      "version": "3.0.0",
      "resolved": "git+ssh://git@github.com/shop/g.git#0123456789012345678901234567890123456789"
    }
  }
}
`

const yarnLock = "# yarn lockfile v1\n\n\na@^1.0.0:\n  version \"1.0.0\"\n  resolved \"https://registry.yarnpkg.com/a/-/a-1.0.0.tgz#0123456789012345678901234567890123456789\"\n  integrity sha512-AAAA\n"

// nixLock is a lock file of Nix with an archive below an address.
func nixLock(from string) string {
	return "{\n  \"nodes\": {\"nixpkgs\": {\"locked\": {\n    \"narHash\": \"sha256-aaaa\",\n    \"type\": \"tarball\",\n    \"url\": \"https://" + from + "/a/nixexprs.tar.xz\"\n  }}}\n}\n"
}

const cargoLock = "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"aaaa\"\n"

var (
	hexA, hexB       = strings.Repeat("ab", 32), strings.Repeat("cd", 32)
	digestA, digestB = "sha512-" + strings.Repeat("Ab", 43) + "==", "sha512-" + strings.Repeat("Cd", 43) + "=="
)

func npmOneLine(digest string) string {
	return `{"lockfileVersion":3,"packages":{"node_modules/a":{"version":"1.0.0","resolved":"https://registry.npmjs.org/a/-/a-1.0.0.tgz","integrity":"` + digest + "\"}}}\n"
}

func uvLock(archive, digest string) string {
	return "version = 1\n\n[[package]]\nname = \"a\"\nversion = \"1\"\nsource = { registry = \"https://pypi.org/simple\" }\n" +
		"sdist = { url = \"https://files.pythonhosted.org/packages/aa/bb/" + archive + "-1.tar.gz\", hash = \"sha256:" + digest + "\", size = 1 }\n"
}

func terraformLock(digests ...string) string {
	return "provider \"registry.terraform.io/hashicorp/aws\" {\n  version = \"5.0.0\"\n  hashes = [\n    \"" + strings.Join(digests, "\",\n    \"") + "\",\n  ]\n}\n"
}

func TestLockFiles(t *testing.T) {
	t.Parallel()
	swap := func(text, from, to string) string {
		if !strings.Contains(text, from) {
			t.Fatalf("%q is not in the text", from)
		}
		return strings.Replace(text, from, to, 1)
	}
	for name, c := range map[string]struct{ path, before, after, want string }{
		"a newer version":                     {"package-lock.json", npmLock, swap(swap(npmLock, "a-1.0.0.tgz", "a-1.0.1.tgz"), "AAAA", "CCCC"), ""},
		"a sponsor":                           {"package-lock.json", npmLock, swap(npmLock, "opencollective.com/a", "patreon.example/a"), ""},
		"one's own host":                      {"package-lock.json", npmLock, swap(npmLock, "own-2.0.0.tgz", "own-2.0.1.tgz"), ""},
		"a new commit of a known repository":  {"package-lock.json", npmLock, swap(npmLock, "#0123", "#9123"), ""},
		"another host":                        {"package-lock.json", npmLock, swap(npmLock, "https://registry.npmjs.org/a/", "https://registry.npmjs.org.evil.example/a/"), "assay/lock-source"},
		"another host by user":                {"package-lock.json", npmLock, swap(npmLock, "https://registry.npmjs.org/a/", "https://registry.npmjs.org@evil.example/a/"), "assay/lock-source"},
		"another port":                        {"package-lock.json", npmLock, swap(npmLock, "https://registry.npmjs.org/a/", "https://registry.npmjs.org:81/a/"), "assay/lock-source"},
		"no encryption":                       {"package-lock.json", npmLock, swap(npmLock, "https://registry.npmjs.org/a/", "http://registry.npmjs.org/a/"), "assay/lock-plain"},
		"another repository":                  {"package-lock.json", npmLock, swap(npmLock, "github.com/shop/g.git", "github.com/mallory/g.git"), "assay/lock-git"},
		"from Git now":                        {"package-lock.json", npmLock, swap(npmLock, "https://registry.npmjs.org/a/-/a-1.0.0.tgz", "git+https://github.com/mallory/a.git#0123456789012345678901234567890123456789"), "assay/lock-git"},
		"no digest":                           {"package-lock.json", npmLock, swap(npmLock, "      \"integrity\": \"sha512-BBBB\"\n", ""), "assay/lock-digest"},
		"a new package without one":           {"package-lock.json", npmLock, swap(npmLock, "    \"node_modules/own\": {", "    \"node_modules/n\": {\n      \"version\": \"1.0.0\",\n      \"resolved\": \"https://registry.npmjs.org/n/-/n-1.0.0.tgz\"\n    },\n    \"node_modules/own\": {"), "assay/lock-digest"},
		"a new lock file":                     {"web/package-lock.json", "", npmLock, "assay/lock-source"},
		"yarn, newer":                         {"yarn.lock", yarnLock, swap(yarnLock, "a-1.0.0.tgz#0", "a-1.0.1.tgz#1"), ""},
		"yarn, another host":                  {"yarn.lock", yarnLock, swap(yarnLock, "registry.yarnpkg.com", "198.51.100.7"), "assay/lock-source"},
		"yarn, no encryption":                 {"yarn.lock", yarnLock, swap(yarnLock, "https://registry", "http://registry"), "assay/lock-plain"},
		"yarn, no digest":                     {"yarn.lock", yarnLock + "\n" + strings.Replace(yarnLock[21:], "a@", "b@", 1), swap(yarnLock, "#0123456789012345678901234567890123456789\"\n  integrity sha512-AAAA", "\"") + "\n" + strings.Replace(yarnLock[21:], "a@", "b@", 1), "assay/lock-digest"},
		"cargo, Git":                          {"Cargo.lock", cargoLock, swap(cargoLock, "registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"aaaa", "git+https://github.com/mallory/a?rev=0#0"), "assay/lock-git"},
		"cargo, another registry":             {"Cargo.lock", cargoLock, swap(cargoLock, "registry+https://github.com/rust-lang/crates.io-index", "sparse+https://crates.evil.example/index/"), "assay/lock-source"},
		"cargo, no checksum":                  {"Cargo.lock", cargoLock + "\n[[package]]\nname = \"b\"\nchecksum = \"bb\"\n", swap(cargoLock, "checksum = \"aaaa\"\n", "") + "\n[[package]]\nname = \"b\"\nchecksum = \"bb\"\n", "assay/lock-digest"},
		"pnpm":                                {"pnpm-lock.yaml", "packages:\n  a@1:\n    resolution: {integrity: sha512-A}\n", "packages:\n  a@1:\n    resolution: {integrity: sha512-A, tarball: https://evil.example/a.tgz}\n", "assay/lock-source"},
		"gems":                                {"Gemfile.lock", "GEM\n  remote: https://rubygems.org/\n  specs:\n", "GEM\n  remote: https://gems.evil.example/\n  specs:\n", "assay/lock-source"},
		"poetry":                              {"poetry.lock", "[[package]]\nname = \"a\"\n", "[[package]]\nname = \"a\"\n\n[package.source]\ntype = \"legacy\"\nurl = \"https://pypi.evil.example/simple\"\n", "assay/lock-source"},
		"uv":                                  {"uv.lock", "[[package]]\nname = \"a\"\n", "[[package]]\nname = \"a\"\nsource = { registry = \"https://pypi.evil.example/simple\" }\n", "assay/lock-source"},
		"composer, an author":                 {"composer.lock", "{\n}\n", "{\n  \"support\": {\n    \"source\": \"https://github.com/a/a\"\n  },\n  \"homepage\": \"https://a.example\"\n}\n", ""},
		"composer":                            {"composer.lock", "{\n}\n", "{\n  \"dist\": {\n    \"type\": \"zip\",\n    \"url\": \"https://evil.example/a.zip\"\n  }\n}\n", "assay/lock-source"},
		"terraform, another host":             {".terraform.lock.hcl", "provider \"registry.terraform.io/hashicorp/aws\" {\n", "provider \"registry.evil.example/hashicorp/aws\" {\n", "assay/lock-source"},
		"terraform, another owner":            {".terraform.lock.hcl", "provider \"registry.terraform.io/hashicorp/aws\" {\n", "provider \"registry.terraform.io/mallory/aws\" {\n", "assay/lock-source"},
		"terraform, one more of a known one":  {".terraform.lock.hcl", "provider \"registry.terraform.io/acme/a\" {\n", "provider \"registry.terraform.io/acme/a\" {\nprovider \"registry.terraform.io/acme/b\" {\nprovider \"registry.terraform.io/hashicorp/aws\" {\n", ""},
		"flake, another owner":                {"flake.lock", "{\n\"owner\": \"acme\",\n\"repo\": \"x\"\n}\n", "{\n\"owner\": \"mallory\",\n\"repo\": \"x\"\n}\n", "assay/lock-source"},
		"flake, a known owner":                {"flake.lock", "{\n\"owner\": \"acme\",\n\"repo\": \"x\"\n}\n", "{\n\"owner\": \"acme\",\n\"repo\": \"y\",\n\"owner\": \"NixOS\"\n}\n", ""},
		"flake, an address":                   {"flake.lock", "{\n}\n", "{\n\"url\": \"https://evil.example/x.tar.gz\"\n}\n", "assay/lock-source"},
		"flake, another host":                 {"flake.lock", "{\n}\n", "{\n\"host\": \"git.evil.example\"\n}\n", "assay/lock-source"},
		"npm, an archive of a repository":     {"package-lock.json", npmLock, swap(npmLock, "https://registry.npmjs.org/a/-/a-1.0.0.tgz", "https://codeload.github.com/mallory/a/tar.gz/aa"), "assay/lock-git"},
		"npm, a short name":                   {"package-lock.json", npmLock, swap(npmLock, "https://registry.npmjs.org/a/-/a-1.0.0.tgz", "github:mallory/a#aa"), "assay/lock-git"},
		"npm, escaped":                        {"package-lock.json", npmLock, swap(npmLock, "https://registry.npmjs.org/a/", "https:\\/\\/evil.example\\/a\\/"), "assay/lock-source"},
		"npm, one line":                       {"package-lock.json", "", "{\"resolved\": \"https://registry.npmjs.org/a\"" + strings.Repeat(" ", maxOwnerLine) + ", \"b\": {\"resolved\": \"https://evil.example/b\"}}\n", "assay/lock-source"},
		"yarn berry":                          {"yarn.lock", "\"a@npm:^1\":\n  resolution: \"a@npm:1.0.0\"\n", "\"a@npm:^1\":\n  resolution: \"a@https://github.com/mallory/a.git#commit=aa\"\n", "assay/lock-git"},
		"yarn berry, an archive":              {"yarn.lock", "\"a@npm:^1\":\n  resolution: \"a@npm:1.0.0\"\n", "\"a@npm:^1\":\n  resolution: \"a@npm:1.0.0::__archiveUrl=https%3A%2F%2Fevil.example%2Fa.tgz\"\n", "assay/lock-source"},
		"yarn berry, newer":                   {"yarn.lock", "\"a@npm:^1\":\n  resolution: \"a@npm:1.0.0\"\n", "\"a@npm:^1\":\n  resolution: \"a@npm:1.0.1\"\n", ""},
		"pnpm, Git":                           {"pnpm-lock.yaml", "packages:\n", "packages:\n  a@1:\n    resolution: {commit: aa, repo: git@github.com:mallory/a.git, type: git}\n", "assay/lock-git"},
		"pnpm, an archive":                    {"pnpm-lock.yaml", "packages:\n", "packages:\n  a@1:\n    resolution: {tarball: https://codeload.github.com/mallory/a/tar.gz/aa}\n", "assay/lock-git"},
		"pnpm, words":                         {"pnpm-lock.yaml", "packages:\n", "packages:\n  a@1:\n    deprecated: see https://a.example/\n", ""},
		"bun":                                 {"bun.lock", "{\n}\n", "{\n    \"a\": [\"a@1.0.0\", \"https://evil.example/a.tgz\", {}, \"sha512-A\"],\n}\n", "assay/lock-source"},
		"bun, Git":                            {"bun.lock", "{\n}\n", "{\n    \"a\": [\"a@github:mallory/a#aa\", {}, \"aa\"],\n}\n", "assay/lock-git"},
		"poetry, Git":                         {"poetry.lock", "[[package]]\n", "[[package]]\n\n[package.source]\ntype = \"git\"\nurl = \"https://github.com/mallory/a.git\"\n", "assay/lock-git"},
		"uv, Git":                             {"uv.lock", "[[package]]\n", "[[package]]\nsource = { git = \"https://github.com/mallory/a?rev=x#aa\" }\n", "assay/lock-git"},
		"pipenv":                              {"Pipfile.lock", "{\n}\n", "{\n\"url\": \"https://pypi.evil.example/simple\"\n}\n", "assay/lock-source"},
		"pipenv, Git":                         {"Pipfile.lock", "{\n}\n", "{\n\"git\": \"https://github.com/mallory/a.git\"\n}\n", "assay/lock-git"},
		"pdm":                                 {"pdm.lock", "[[package]]\n", "[[package]]\ngit = \"https://github.com/mallory/a.git\"\n", "assay/lock-git"},
		"pylock":                              {"pylock.toml", "a = 1\n", "a = 1\nindex = \"https://pypi.evil.example/simple\"\n", "assay/lock-source"},
		"requirements":                        {"requirements.lock", "a==1\n", "a==1\n--extra-index-url https://pypi.evil.example/simple\n", "assay/lock-source"},
		"go":                                  {"go.sum", "github.com/a/b v1.0.0 h1:aa=\n", "github.com/a/b v1.0.0 h1:aa=\nevil.example/b v1.0.0 h1:bb=\n", "assay/lock-source"},
		"go, a common host":                   {"go.sum", "github.com/a/b v1.0.0 h1:aa=\n", "github.com/a/b v1.0.0 h1:aa=\ngolang.org/x/net v1.0.0 h1:bb=\ngithub.com/c/d v1.0.0 h1:cc=\n", ""},
		"gems, Git":                           {"Gemfile.lock", "GEM\n  remote: https://rubygems.org/\n", "GIT\n  remote: https://github.com/mallory/a.git\n\nGEM\n  remote: https://rubygems.org/\n", "assay/lock-git"},
		"composer, another owner":             {"composer.lock", "{\n\"name\": \"a/b\",\n\"source\": {\n\"type\": \"git\",\n\"url\": \"https://github.com/a/b.git\"\n}\n}\n", "{\n\"name\": \"a/b\",\n\"source\": {\n\"type\": \"git\",\n\"url\": \"https://github.com/mallory/b.git\"\n}\n}\n", "assay/lock-git"},
		"composer, a new package":             {"composer.lock", "{\n}\n", "{\n\"name\": \"a/b\",\n\"source\": {\n\"type\": \"git\",\n\"url\": \"https://github.com/a/b.git\"\n}\n}\n", ""},
		"mix":                                 {"mix.lock", "%{\n}\n", "%{\n  \"a\": {:git, \"https://github.com/mallory/a.git\", \"aa\", []},\n}\n", "assay/lock-git"},
		"mix, another repository":             {"mix.lock", "%{\n}\n", "%{\n  \"a\": {:hex, :a, \"1.0\", \"aa\", [:mix], [], \"hexpm:mallory\", \"bb\"},\n}\n", "assay/lock-source"},
		"mix, newer":                          {"mix.lock", "%{\n}\n", "%{\n  \"a\": {:hex, :a, \"1.0\", \"aa\", [:mix], [], \"hexpm\", \"bb\"},\n}\n", ""},
		"rebar":                               {"rebar.lock", "[].\n", "[{<<\"a\">>,\n  {git,\"https://github.com/mallory/a.git\",\n       {ref,\"aa\"}},\n  0}].\n", "assay/lock-git"},
		"pub":                                 {"pubspec.lock", "packages:\n", "packages:\n  a:\n    description:\n      url: \"https://pub.evil.example\"\n", "assay/lock-source"},
		"pub, Git":                            {"pubspec.lock", "packages:\n", "packages:\n  a:\n    description:\n      url: \"https://github.com/mallory/a.git\"\n", "assay/lock-git"},
		"pods":                                {"Podfile.lock", "PODS:\n", "PODS:\n\nSPEC REPOS:\n  https://evil.example/specs.git:\n    - A\n", "assay/lock-source"},
		"pods, Git":                           {"Podfile.lock", "PODS:\n", "PODS:\n\nEXTERNAL SOURCES:\n  A:\n    :git: https://github.com/mallory/a.git\n", "assay/lock-git"},
		"swift":                               {"Package.resolved", "{\n\"location\" : \"https://github.com/a/b.git\"\n}\n", "{\n\"location\" : \"https://github.com/mallory/b.git\"\n}\n", "assay/lock-git"},
		"swift, before":                       {"Package.resolved", "{\n}\n", "{\n\"repositoryURL\": \"https://evil.example/b.git\"\n}\n", "assay/lock-source"},
		"carthage":                            {"Cartfile.resolved", "github \"a/b\" \"1.0\"\n", "github \"mallory/b\" \"1.0\"\n", "assay/lock-git"},
		"gradle, a server of keys":            {"gradle/verification-metadata.xml", "<verification-metadata>\n", "<verification-metadata>\n<key-server uri=\"hkps://keys.evil.example\"/>\n", "assay/lock-source"},
		"gradle, a key":                       {"gradle/verification-metadata.xml", "<verification-metadata>\n", "<verification-metadata>\n<trusted-key id=\"AABB\" group=\"org.a\"/>\n", "assay/lock-source"},
		"gradle, its schema":                  {"gradle/verification-metadata.xml", "<a>\n", "<verification-metadata xmlns=\"https://schema.gradle.org/dependency-verification\">\n", ""},
		"nuget":                               {"project.assets.json", "{\n}\n", "{\n\"sources\": {\n\"https://nuget.evil.example/v3/index.json\": {}\n}\n}\n", "assay/lock-source"},
		"paket":                               {"paket.lock", "NUGET\n  remote: https://api.nuget.org/v3/index.json\n", "NUGET\n  remote: https://nuget.evil.example/v3/index.json\n", "assay/lock-source"},
		"paket, GitHub":                       {"paket.lock", "NUGET\n", "GITHUB\n  remote: mallory/a\n", "assay/lock-git"},
		"conan":                               {"conan.lock", "{\n\"zlib/1.2.13#aa%1\"\n}\n", "{\n\"zlib/1.2.13@mallory/stable#aa%1\"\n}\n", "assay/lock-source"},
		"conan, newer":                        {"conan.lock", "{\n\"zlib/1.2.13#aa%1\"\n}\n", "{\n\"zlib/1.2.14#bb%1\"\n}\n", ""},
		"conda":                               {"conda-lock.yml", "package:\n", "package:\n- url: https://conda.anaconda.org/mallory/linux-64/a.conda\n", "assay/lock-source"},
		"pixi":                                {"pixi.lock", "packages:\n", "packages:\n- conda: https://conda.anaconda.org/mallory/noarch/a.conda\n", "assay/lock-source"},
		"deno":                                {"deno.lock", "{\n}\n", "{\n\"remote\": {\n\"https://evil.example/mod.ts\": \"aa\"\n}\n}\n", "assay/lock-source"},
		"deno, a repository":                  {"deno.lock", "{\n}\n", "{\n\"remote\": {\n\"https://raw.githubusercontent.com/mallory/a/main/mod.ts\": \"aa\"\n}\n}\n", "assay/lock-git"},
		"helm":                                {"Chart.lock", "dependencies:\n", "dependencies:\n- name: a\n  repository: oci://ghcr.io/mallory\n", "assay/lock-source"},
		"buf":                                 {"buf.lock", "deps:\n  - name: buf.build/acme/a\n", "deps:\n  - name: buf.build/mallory/a\n", "assay/lock-source"},
		"crystal":                             {"shard.lock", "shards:\n", "shards:\n  a:\n    git: https://github.com/mallory/a.git\n", "assay/lock-git"},
		"stack":                               {"stack.yaml.lock", "packages:\n", "packages:\n- original:\n    url: https://evil.example/a.tar.gz\n", "assay/lock-source"},
		"renv":                                {"renv.lock", "{\n}\n", "{\n\"RemoteUsername\": \"mallory\"\n}\n", "assay/lock-source"},
		"bazel":                               {"MODULE.bazel.lock", "{\n}\n", "{\n\"urls\": [\n\"https://evil.example/a.tar.gz\"\n]\n}\n", "assay/lock-source"},
		"devbox":                              {"devbox.lock", "{\n}\n", "{\n\"resolved\": \"github:mallory/nixpkgs/aa#x\"\n}\n", "assay/lock-git"},
		"npm, the archive of another package": {"package-lock.json", npmLock, swap(swap(npmLock, "/a/-/a-1.0.0", "/ab/-/ab-1.0.0"), "sha512-AAAA", digestB), "assay/lock-package"},
		"npm, its file alone":                 {"package-lock.json", npmLock, swap(npmLock, "/a/-/a-1.0.0", "/a/-/b-1.0.0"), "assay/lock-package"},
		"npm, an alias of an old package":     {"package-lock.json", npmLock, swap(swap(npmLock, "/a/-/a-1.0.0", "/b/-/b-1.0.0"), "\"node_modules/a\": {", "\"node_modules/a\": {\n      \"name\": \"b\","), "assay/lock-package"},
		"npm, another digest":                 {"package-lock.json", swap(npmLock, "sha512-AAAA", digestA), swap(npmLock, "sha512-AAAA", digestB), "assay/lock-changed"},
		"npm, another digest and version":     {"package-lock.json", swap(npmLock, "sha512-AAAA", digestA), swap(swap(swap(npmLock, "sha512-AAAA", digestB), "\"version\": \"1.0.0\"", "\"version\": \"1.0.1\""), "a-1.0.0.tgz", "a-1.0.1.tgz"), ""},
		"npm, a stronger digest":              {"package-lock.json", swap(npmLock, "sha512-AAAA", "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA="), swap(npmLock, "sha512-AAAA", digestB), ""},
		"npm, one line, another digest":       {"package-lock.json", npmOneLine(digestA), npmOneLine(digestB), "assay/lock-changed"},
		"yarn, the archive of another":        {"yarn.lock", yarnLock, swap(yarnLock, "/a/-/a-1.0.0", "/ab/-/ab-1.0.0"), "assay/lock-package"},
		"yarn, an alias":                      {"yarn.lock", yarnLock, yarnLock + "\n\"c@npm:b@^1\":\n  version \"1.0.0\"\n  resolved \"https://registry.yarnpkg.com/b/-/b-1.0.0.tgz#0123456789012345678901234567890123456789\"\n  integrity sha512-BBBB\n", ""},
		"yarn, another digest":                {"yarn.lock", swap(yarnLock, "sha512-AAAA", digestA), swap(yarnLock, "sha512-AAAA", digestB), "assay/lock-changed"},
		"npm, escaped, another package":       {"package-lock.json", npmLock, swap(npmLock, "https://registry.npmjs.org/a/-/a-1.0.0", "https:\\/\\/registry.npmjs.org\\/ab\\/-\\/ab-1.0.0"), "assay/lock-package"},
		"npm, a scope":                        {"package-lock.json", npmLock, swap(swap(npmLock, "node_modules/a\"", "node_modules/@s/a\""), "/a/-/a-1.0.0", "/@s/a/-/a-1.0.0"), ""},
		"npm, below another":                  {"package-lock.json", npmLock, swap(npmLock, "node_modules/a\"", "node_modules/b/node_modules/a\""), ""},
		"npm, a registry with a folder":       {"package-lock.json", npmLock, swap(npmLock, "own/-/own-2.0.0", "api/npm/npm/own/-/own-2.0.0"), ""},
		"npm, another scope":                  {"package-lock.json", npmLock, swap(npmLock, "/a/-/a-1.0.0", "/@evil/a/-/a-1.0.0"), "assay/lock-package"},
		"go, another digest":                  {"go.sum", "golang.org/x/net v0.20.0 h1:aCL9BSgETF1k+blQaYUBx9hJ9LOGP3gAVemcZlf1Kpo=\n", "golang.org/x/net v0.20.0 h1:bCL9BSgETF1k+blQaYUBx9hJ9LOGP3gAVemcZlf1Kpo=\n", "assay/lock-changed"},
		"go, another version":                 {"go.sum", "golang.org/x/net v0.20.0 h1:aCL9BSgETF1k+blQaYUBx9hJ9LOGP3gAVemcZlf1Kpo=\n", "golang.org/x/net v0.21.0 h1:bCL9BSgETF1k+blQaYUBx9hJ9LOGP3gAVemcZlf1Kpo=\n", ""},
		"cargo, another checksum":             {"Cargo.lock", swap(cargoLock, "aaaa", hexA), swap(cargoLock, "aaaa", hexB), "assay/lock-changed"},
		"pnpm, another digest":                {"pnpm-lock.yaml", "packages:\n\n  a@1.0.0:\n    resolution: {integrity: " + digestA + "}\n", "packages:\n\n  a@1.0.0:\n    resolution: {integrity: " + digestB + "}\n", "assay/lock-changed"},
		"poetry, another digest":              {"poetry.lock", "[[package]]\nname = \"a\"\nversion = \"1\"\nfiles = [\n    {file = \"a-1.tar.gz\", hash = \"sha256:" + hexA + "\"},\n]\n", "[[package]]\nname = \"a\"\nversion = \"1\"\nfiles = [\n    {file = \"a-1.tar.gz\", hash = \"sha256:" + hexB + "\"},\n]\n", "assay/lock-changed"},
		"uv, the archive of another":          {"uv.lock", uvLock("a", hexA), uvLock("evil", hexB), "assay/lock-package"},
		"uv, another digest":                  {"uv.lock", uvLock("a", hexA), uvLock("a", hexB), "assay/lock-changed"},
		"uv, a list of dependencies":          {"uv.lock", uvLock("a", hexA), uvLock("a", hexA) + "\n[[package]]\nname = \"own\"\nversion = \"1\"\nsource = { editable = \".\" }\ndependencies = [\n    { name = \"a\", version = \"1\", source = { registry = \"https://pypi.org/simple\" }, marker = \"x\" },\n]\n", ""},
		"gems, another digest":                {"Gemfile.lock", "CHECKSUMS\n  rack (2.0) sha256=" + hexA + "\n", "CHECKSUMS\n  rack (2.0) sha256=" + hexB + "\n", "assay/lock-changed"},
		"mix, another digest":                 {"mix.lock", "%{\n  \"a\": {:hex, :a, \"1.0\", \"" + hexA + "\", [:mix], [], \"hexpm\", \"" + hexA + "\"},\n}\n", "%{\n  \"a\": {:hex, :a, \"1.0\", \"" + hexB + "\", [:mix], [], \"hexpm\", \"" + hexB + "\"},\n}\n", "assay/lock-changed"},
		"swift, another commit":               {"Package.resolved", "{\n\"pins\": [{\"identity\": \"a\",\n\"state\": {\"version\": \"1\",\n\"revision\": \"" + hexA[:40] + "\"\n}}]}\n", "{\n\"pins\": [{\"identity\": \"a\",\n\"state\": {\"version\": \"1\",\n\"revision\": \"" + hexB[:40] + "\"\n}}]}\n", "assay/lock-changed"},
		"deno, another digest":                {"deno.lock", "{\n\"remote\": {\n\"https://deno.land/a.ts\": \"" + hexA + "\"\n}\n}\n", "{\n\"remote\": {\n\"https://deno.land/a.ts\": \"" + hexB + "\"\n}\n}\n", "assay/lock-changed"},
		"terraform, one platform more":        {".terraform.lock.hcl", terraformLock("h1:" + digestA[7:50] + "="), terraformLock("h1:"+digestA[7:50]+"=", "h1:"+digestB[7:50]+"="), ""},
		"terraform, other digests":            {".terraform.lock.hcl", terraformLock("h1:" + digestA[7:50] + "="), terraformLock("h1:" + digestB[7:50] + "="), "assay/lock-changed"},
		"no lock file":                        {"README.md", "a\n", "resolved \"http://evil.example/\"\n", ""},
		"flake, channel of NixOS":             {"flake.lock", nixLock("github.com/NixOS"), nixLock("releases.nixos.org/nixos"), ""},
		"flake, host like one of NixOS":       {"flake.lock", nixLock("github.com/NixOS"), nixLock("releases.nixos.evil.example/nixos"), "assay/lock-source"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := &diff.Set{Files: []*diff.File{{Path: c.path, Status: diff.Modified}}}
			if c.before == "" {
				set.Files[0].Status = diff.Added
			}
			set.Files[0].Rewrite([]byte(c.before), []byte(c.after))
			src := files{"RIGHT:" + c.path: c.after}
			if c.before != "" {
				src["LEFT:"+c.path] = c.before
			}
			res, err := checker(t).Run(t.Context(), set, src, Options{Static: true})
			if err != nil {
				t.Fatal(err)
			}
			var rules []string
			for _, f := range res.Findings {
				rules = append(rules, f.RuleID)
				if f.Anchor.StartLine == 0 {
					t.Errorf("%s has no line", f.RuleID)
				}
			}
			if got := strings.Join(rules, " "); c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
			if name == "a newer version" {
				return
			}
			if res, err = checker(t).Run(t.Context(), set, nil, Options{Static: true}); err != nil || c.want == "assay/lock-source" && len(res.Findings) == 0 {
				t.Errorf("without the files: %v, %v", res.Findings, err)
			}
		})
	}
}
