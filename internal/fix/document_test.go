package fix

import (
	"math/rand"
	"strings"
	"testing"
)

// An edit gives the text that a replacement of its search text gives, whatever lines it covers.
func TestEditsReplaceTexts(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewSource(1)) //nolint:gosec // a repeatable test
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteByte("ab\n"[random.Intn(3)])
		}
		return b.String()
	}
	applied := 0
	for range 20_000 {
		raw, search, replace := text(random.Intn(14))+"\n", text(1+random.Intn(5)), text(random.Intn(5))
		d := newDocument("x.txt", []byte(raw), func(s string) string { return s })
		p, why := d.locate(search, replace)
		if why != "" {
			continue
		}
		applied++
		want := strings.Replace(raw, search, replace, 1)
		if want != "" && !strings.HasSuffix(want, "\n") { // the file keeps its last newline
			want += "\n"
		}
		if got := string(d.applied([]patch{p})); got != want {
			t.Fatalf("%q, %q → %q: %q, want %q (%+v)", raw, search, replace, got, want, p.lines)
		}
	}
	if applied < 500 {
		t.Errorf("only %d edits apply", applied)
	}
}
