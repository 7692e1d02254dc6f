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
