package arch

import (
	"go/parser"
	"go/token"
	"testing"
)

// TestBannedUses shows that the rule finds what it must and nothing else.
func TestBannedUses(t *testing.T) {
	t.Parallel()
	const head = "package x\nimport (\n\"net/http\"\n\"net\"\nother \"crypto/tls\"\n)\n"
	for code, want := range map[string]int{
		"func f(c *http.Client) (*http.Response, error) { return c.Get(u) }": 0,
		"var s = http.Server{}; var l net.Listener":                          0,
		"var _, _ = net.Listen(a, b)":                                        0,
		"var c = http.Client{}":                                              1,
		"var c = &http.Client{}":                                             1,
		"var c = new(http.Client)":                                           1,
		"var c = http.DefaultClient":                                         1,
		"var _, _ = http.Get(u)":                                             1,
		"var d = net.Dialer{}":                                               1,
		"var _, _ = net.DialTimeout(a, b, c)":                                1,
		"var _, _ = other.Dial(a, b, c)":                                     1,
		"var tr = &http.Transport{Proxy: http.ProxyFromEnvironment}":         2,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "x.go", head+code, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(bannedUses(f)); got != want {
			t.Errorf("%s: %d uses, want %d", code, got, want)
		}
	}
	for text, ok := range map[string]bool{"// TODO(#12): more": true, "// TODO: more": false, "// TODO(me) more": false, "// nothing": true} {
		if got := !todo.MatchString(text) || owned.MatchString(text); got != ok {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestTextFields shows that the rule finds every form of field that JSON fills, and no others.
func TestTextFields(t *testing.T) {
	t.Parallel()
	const head = "package x\nimport (\n\"github.com/assay-dev/assay/internal/markdown\"\nmd \"github.com/assay-dev/assay/internal/markdown\"\n)\n"
	for code, want := range map[string]int{
		"type a struct { b markdown.Text `json:\"b\"` }":                               1,
		"type a struct { b md.Text `db:\"x\" json:\"b,omitempty\"` }":                  1,
		"type a struct { b []markdown.Text `json:\"b\"`; c *md.Text `json:\"c\"` }":    2,
		"type a struct { b map[string]markdown.Text `json:\"b\"` }":                    1,
		"type a struct { b struct { c markdown.Text `json:\"c\"` } `json:\"b\"` }":     1,
		"func f() { var a struct { B markdown.Text `json:\",omitempty\"` }; _ = a }":   1,
		"type a struct { b markdown.Text }":                                            0,
		"type a struct { b markdown.Text `json:\"-\"`; c markdown.Text `yaml:\"c\"` }": 0,
		"type a struct { b func(markdown.Text) `json:\"b\"`; c string `json:\"c\"` }":  0,
		"type a struct { b markdown.Other `json:\"b\"` }; func f(t markdown.Text) {}":  0,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "x.go", head+code, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(textFields(f)); got != want {
			t.Errorf("%s: %d fields, want %d", code, got, want)
		}
	}
}
