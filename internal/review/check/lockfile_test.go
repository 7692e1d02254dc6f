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

const cargoLock = "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"aaaa\"\n"

func TestLockFiles(t *testing.T) {
	t.Parallel()
	swap := func(text, from, to string) string {
		if !strings.Contains(text, from) {
			t.Fatalf("%q is not in the text", from)
		}
		return strings.Replace(text, from, to, 1)
	}
	for name, c := range map[string]struct{ path, before, after, want string }{
		"a newer version":                    {"package-lock.json", npmLock, swap(swap(npmLock, "a-1.0.0.tgz", "a-1.0.1.tgz"), "AAAA", "CCCC"), ""},
		"a sponsor":                          {"package-lock.json", npmLock, swap(npmLock, "opencollective.com/a", "patreon.example/a"), ""},
		"one's own host":                     {"package-lock.json", npmLock, swap(npmLock, "own-2.0.0.tgz", "own-2.0.1.tgz"), ""},
		"a new commit of a known repository": {"package-lock.json", npmLock, swap(npmLock, "#0123", "#9123"), ""},
		"another host":                       {"package-lock.json", npmLock, swap(npmLock, "https://registry.npmjs.org/a/", "https://registry.npmjs.org.evil.example/a/"), "assay/lock-source"},
		"another host by user":               {"package-lock.json", npmLock, swap(npmLock, "https://registry.npmjs.org/a/", "https://registry.npmjs.org@evil.example/a/"), "assay/lock-source"},
		"another port":                       {"package-lock.json", npmLock, swap(npmLock, "https://registry.npmjs.org/a/", "https://registry.npmjs.org:81/a/"), "assay/lock-source"},
		"no encryption":                      {"package-lock.json", npmLock, swap(npmLock, "https://registry.npmjs.org/a/", "http://registry.npmjs.org/a/"), "assay/lock-plain"},
		"another repository":                 {"package-lock.json", npmLock, swap(npmLock, "github.com/shop/g.git", "github.com/mallory/g.git"), "assay/lock-git"},
		"from Git now":                       {"package-lock.json", npmLock, swap(npmLock, "https://registry.npmjs.org/a/-/a-1.0.0.tgz", "git+https://github.com/mallory/a.git#0123456789012345678901234567890123456789"), "assay/lock-git"},
		"no digest":                          {"package-lock.json", npmLock, swap(npmLock, "      \"integrity\": \"sha512-BBBB\"\n", ""), "assay/lock-digest"},
		"a new package without one":          {"package-lock.json", npmLock, swap(npmLock, "    \"node_modules/own\": {", "    \"node_modules/n\": {\n      \"version\": \"1.0.0\",\n      \"resolved\": \"https://registry.npmjs.org/n/-/n-1.0.0.tgz\"\n    },\n    \"node_modules/own\": {"), "assay/lock-digest"},
		"a new lock file":                    {"web/package-lock.json", "", npmLock, "assay/lock-source"},
		"yarn, newer":                        {"yarn.lock", yarnLock, swap(yarnLock, "a-1.0.0.tgz#0", "a-1.0.1.tgz#1"), ""},
		"yarn, another host":                 {"yarn.lock", yarnLock, swap(yarnLock, "registry.yarnpkg.com", "198.51.100.7"), "assay/lock-source"},
		"yarn, no encryption":                {"yarn.lock", yarnLock, swap(yarnLock, "https://registry", "http://registry"), "assay/lock-plain"},
		"yarn, no digest":                    {"yarn.lock", yarnLock + "\n" + strings.Replace(yarnLock[21:], "a@", "b@", 1), swap(yarnLock, "#0123456789012345678901234567890123456789\"\n  integrity sha512-AAAA", "\"") + "\n" + strings.Replace(yarnLock[21:], "a@", "b@", 1), "assay/lock-digest"},
		"cargo, Git":                         {"Cargo.lock", cargoLock, swap(cargoLock, "registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"aaaa", "git+https://github.com/mallory/a?rev=0#0"), "assay/lock-git"},
		"cargo, another registry":            {"Cargo.lock", cargoLock, swap(cargoLock, "registry+https://github.com/rust-lang/crates.io-index", "sparse+https://crates.evil.example/index/"), "assay/lock-source"},
		"cargo, no checksum":                 {"Cargo.lock", cargoLock + "\n[[package]]\nname = \"b\"\nchecksum = \"bb\"\n", swap(cargoLock, "checksum = \"aaaa\"\n", "") + "\n[[package]]\nname = \"b\"\nchecksum = \"bb\"\n", "assay/lock-digest"},
		"pnpm":                               {"pnpm-lock.yaml", "packages:\n  a@1:\n    resolution: {integrity: sha512-A}\n", "packages:\n  a@1:\n    resolution: {integrity: sha512-A, tarball: https://evil.example/a.tgz}\n", "assay/lock-source"},
		"gems":                               {"Gemfile.lock", "GEM\n  remote: https://rubygems.org/\n  specs:\n", "GEM\n  remote: https://gems.evil.example/\n  specs:\n", "assay/lock-source"},
		"poetry":                             {"poetry.lock", "[[package]]\nname = \"a\"\n", "[[package]]\nname = \"a\"\n\n[package.source]\ntype = \"legacy\"\nurl = \"https://pypi.evil.example/simple\"\n", "assay/lock-source"},
		"uv":                                 {"uv.lock", "[[package]]\nname = \"a\"\n", "[[package]]\nname = \"a\"\nsource = { registry = \"https://pypi.evil.example/simple\" }\n", "assay/lock-source"},
		"composer, an author":                {"composer.lock", "{\n}\n", "{\n  \"support\": {\n    \"source\": \"https://github.com/a/a\"\n  },\n  \"homepage\": \"https://a.example\"\n}\n", ""},
		"composer":                           {"composer.lock", "{\n}\n", "{\n  \"dist\": {\n    \"type\": \"zip\",\n    \"url\": \"https://evil.example/a.zip\"\n  }\n}\n", "assay/lock-source"},
		"no lock file":                       {"README.md", "a\n", "resolved \"http://evil.example/\"\n", ""},
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
