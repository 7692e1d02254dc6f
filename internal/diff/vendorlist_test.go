package diff

import "testing"

// A list of packages hides only the files of packages whose version the change changes.
func TestVendorChange(t *testing.T) {
	t.Parallel()
	const mods = "# example.com/a v1.0.0\n## explicit\nexample.com/a\n# example.com/a/b v1.0.0\nexample.com/a/b\n"
	npm := `{"packages":{"node_modules/left":{"version":"1.0.0","integrity":"sha512-A"},"node_modules/@s/p":{"version":"1.0.0"}}}`
	composer := `{"packages":[{"name":"acme/lib","version":"1.0","dist":{"reference":"aa"}}]}`
	yarn := "# yarn\n\nleft@^1:\n  version \"1.0.0\"\n\nright@^1:\n  version \"1.0.0\"\n"
	for name, c := range map[string]struct {
		list, before, after, path string
		want                      bool
	}{
		"another version":               {"vendor/modules.txt", mods, "# example.com/a v1.1.0\n# example.com/a/b v1.0.0\n", "vendor/example.com/a/a.go", true},
		"another module":                {"vendor/modules.txt", mods, "# example.com/a v1.1.0\n# example.com/a/b v1.0.0\n", "vendor/example.com/a/b/b.go", false},
		"a comment":                     {"vendor/modules.txt", mods, mods + "# \n", "vendor/example.com/a/a.go", false},
		"an annotation":                 {"vendor/modules.txt", mods, mods + "## explicit; go 1.22\n", "vendor/example.com/a/a.go", false},
		"a folder that no line names":   {"vendor/modules.txt", mods, mods + "# \n# example.com/c v1.0.0\n", "vendor/evil.example/b/b.go", false},
		"a new module":                  {"vendor/modules.txt", mods, mods + "# example.com/c v1.0.0\n", "vendor/example.com/c/c.go", true},
		"a removed module":              {"vendor/modules.txt", mods + "# example.com/c v1.0.0\n", mods, "vendor/example.com/c/c.go", true},
		"npm, spaces":                   {"node_modules/left/package.json", `{"name":"left","version":"1.0.0"}`, `{"name":"left","version":"1.0.0" }`, "node_modules/left/index.js", false},
		"npm, another version":          {"node_modules/left/package.json", `{"name":"left","version":"1.0.0"}`, `{"name":"left","version":"1.0.1"}`, "node_modules/left/index.js", true},
		"npm, the lock file":            {"package-lock.json", npm, `{"packages":{"node_modules/left":{"version":"1.0.1","integrity":"sha512-B"},"node_modules/@s/p":{"version":"1.0.0"}}}`, "node_modules/left/index.js", true},
		"npm, of another package":       {"package-lock.json", npm, `{"packages":{"node_modules/left":{"version":"1.0.1","integrity":"sha512-B"},"node_modules/@s/p":{"version":"1.0.0"}}}`, "node_modules/@s/p/index.js", false},
		"npm, form of the lock file":    {"package-lock.json", npm, npm + "\n", "node_modules/left/index.js", false},
		"composer":                      {"composer.lock", composer, `{"packages":[{"name":"acme/lib","version":"1.1","dist":{"reference":"bb"}}]}`, "vendor/acme/lib/a.php", true},
		"composer, another":             {"composer.lock", composer, `{"packages":[{"name":"acme/lib","version":"1.1","dist":{"reference":"bb"}}]}`, "vendor/acme/other/a.php", false},
		"composer, its hash":            {"composer.lock", composer, `{"content-hash":"x",` + composer[1:], "vendor/acme/lib/a.php", false},
		"yarn":                          {"yarn.lock", yarn, "left@^1:\n  version \"1.0.1\"\n\nright@^1:\n  version \"1.0.0\"\n", "node_modules/left/a.js", true},
		"yarn, another":                 {"yarn.lock", yarn, "left@^1:\n  version \"1.0.1\"\n\nright@^1:\n  version \"1.0.0\"\n", "node_modules/right/a.js", false},
		"yarn, a comment":               {"yarn.lock", yarn, yarn + "# left\n", "node_modules/left/a.js", false},
		"cargo, checksums of its files": {"vendor/foo/.cargo-checksum.json", `{"files":{"a":"1"},"package":"x"}`, `{"files":{"a":"2"},"package":"x"}`, "vendor/foo/src/lib.rs", false},
		"cargo":                         {"vendor/foo/.cargo-checksum.json", `{"files":{"a":"1"},"package":"x"}`, `{"files":{"a":"2"},"package":"y"}`, "vendor/foo/src/lib.rs", true},
		"pods":                          {"Podfile.lock", "PODS:\n  - AFNetworking (4.0.0)\n", "PODS:\n  - AFNetworking (4.0.1)\n", "Pods/AFNetworking/a.m", true},
		"pods, another":                 {"Podfile.lock", "PODS:\n  - AFNetworking (4.0.0)\n", "PODS:\n  - AFNetworking (4.0.1)\n", "Pods/Alamofire/a.m", false},
		"gems":                          {"Gemfile.lock", "GEM\n    rack (2.0)\n", "GEM\n    rack (2.1)\n", "vendor/bundle/ruby/3.2.0/gems/rack-2.1/lib/rack.rb", true},
		"third party":                   {"third_party/foo/METADATA", "version: \"1\"\n", "version: \"2\"\n", "third_party/foo/x.c", true},
		"third party, a comment":        {"third_party/foo/METADATA", "version: \"1\"\n", "version: \"1\"\n# x\n", "third_party/foo/x.c", false},
	} {
		if got := NewVendorChange(c.list, []byte(c.before), []byte(c.after)).Names(c.path); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
