package prepush

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	t.Parallel()
	id := func(c string) string { return strings.Repeat(c, 40) }
	zero := id("0")
	p, err := Read(strings.NewReader("refs/tags/v1 " + id("a") + " refs/tags/v1 " + zero + "\n(delete) " + zero + " refs/heads/gone " + id("b") + "\nrefs/heads/x " + id("c") + " refs/heads/x " + id("d") + "\nHEAD " + id("c") + " refs/heads/y " + zero + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, h := range p.Heads {
		got = append(got, h.ID[:1]+" "+h.Name())
	}
	if want := []string{"c x (and 1 more)", "a refs/tags/v1"}; !slices.Equal(got, want) {
		t.Errorf("heads %q, want %q", got, want)
	}
	if want := []string{id("b"), id("d")}; !slices.Equal(p.Known, want) {
		t.Errorf("known %q, want %q", p.Known, want)
	}
	if p, err := Read(strings.NewReader("")); err != nil || len(p.Heads) != 0 {
		t.Errorf("nothing: %+v, %v", p, err)
	}
	for _, bad := range []string{"x\n", "a b c d\n", "refs/heads/x " + id("c") + " refs/heads/x " + id("d") + " more\n",
		"refs/heads/x " + id("C") + " refs/heads/x " + zero + "\n"} {
		if _, err := Read(strings.NewReader(bad)); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

// Thousands of references are read. Input beyond the bound is an error.
func TestReadIsBounded(t *testing.T) {
	t.Parallel()
	var in strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&in, "refs/heads/b%d %040x refs/heads/b%d %040d\n", i, i+1, i, 0)
	}
	if p, err := Read(strings.NewReader(in.String())); err != nil || len(p.Heads) != 5000 {
		t.Errorf("%d heads, %v", len(p.Heads), err)
	}
	line := "refs/heads/" + strings.Repeat("x", 1000) + " " + strings.Repeat("a", 40) + " refs/heads/x " + strings.Repeat("0", 40) + "\n"
	if _, err := Read(strings.NewReader(strings.Repeat(line, maxInput/len(line)+2))); err == nil {
		t.Error("too much is read")
	}
}
