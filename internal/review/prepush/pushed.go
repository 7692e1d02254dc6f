package prepush

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Bounds of a hook's input (design choices).
const (
	MaxPushed  = 10       // commits of one push that are reviewed
	MaxChecked = 40       // further commits that only the deterministic checks examine
	maxInput   = 16 << 20 // bytes: about 100,000 references
)

// Pushed is the content of a push.
type Pushed struct {
	Heads []Head
	Known []string // commits that the other side has at these references
}

// Head is an object that is about to be pushed, with the references that get it.
type Head struct {
	ID   string
	Refs []string // at the other side
}

// Name returns the reference that gets a head, as people write it, and the number of others.
func (h Head) Name() string {
	name := strings.TrimPrefix(h.Refs[0], "refs/heads/")
	if n := len(h.Refs) - 1; n > 0 {
		name += fmt.Sprintf(" (and %d more)", n)
	}
	return name
}

// Read reads git's input to a pre-push hook (githooks(5)): a line for each reference, "local-ref
// local-object remote-ref remote-object". It leaves out deleted references.
func Read(in io.Reader) (Pushed, error) {
	var p Pushed
	at := map[string]int{}
	lines := bufio.NewScanner(io.LimitReader(in, maxInput+1))
	read := 0
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		if len(f) != 4 || !isID(f[1]) || !isID(f[3]) {
			return Pushed{}, fmt.Errorf("git gave the hook something that is not a list of references")
		}
		if read += len(lines.Bytes()) + 1; read > maxInput {
			return Pushed{}, fmt.Errorf("the push has more references than the hook reads: %d bytes", maxInput)
		}
		if !isZero(f[3]) {
			p.Known = append(p.Known, f[3])
		}
		if isZero(f[1]) {
			continue
		}
		i, known := at[f[1]]
		if !known {
			i = len(p.Heads)
			at[f[1]] = i
			p.Heads = append(p.Heads, Head{ID: f[1]})
		}
		p.Heads[i].Refs = append(p.Heads[i].Refs, f[2])
	}
	if err := lines.Err(); err != nil {
		return Pushed{}, fmt.Errorf("read what git tells the hook: %w", err)
	}
	// Branches first: a tag or a note that is pushed with its branch then brings nothing.
	slices.SortStableFunc(p.Heads, func(a, b Head) int { return rank(a) - rank(b) })
	return p, nil
}

func rank(h Head) int {
	if slices.ContainsFunc(h.Refs, func(r string) bool { return strings.HasPrefix(r, "refs/heads/") }) {
		return 0
	}
	return 1
}

func isID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

func isZero(s string) bool { return strings.Trim(s, "0") == "" }
