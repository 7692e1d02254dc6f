package drive

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
)

// shownLines records the lines of files that prompts show.
type shownLines struct {
	mu     sync.Mutex
	lines  map[heading]map[int]bool
	beside contextLog
}

type place struct {
	path string
	line int
}

// heading is the heading above lines of a prompt.
type heading struct {
	text  string
	piece bool // text is a path and a name, otherwise only a path
}

func newShownLines() *shownLines { return &shownLines{lines: map[heading]map[int]bool{}} }

// watch returns routes that record the prompts and call m.
func (s *shownLines) watch(m *ask.Models) *ask.Models {
	if m == nil {
		return nil
	}
	out := *m
	for _, r := range []*ask.Route{&out.Fast, &out.Standard, &out.Strong, &out.Panel} {
		if r.Client != nil {
			r.Client = watched{r.Client, s}
		}
	}
	return &out
}

type watched struct {
	llm.Client
	sight *shownLines
}

// Complete implements [llm.Client].
func (w watched) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	for _, m := range r.Messages {
		w.sight.read(m.Text)
	}
	w.sight.beside.read(r)
	return w.Client.Complete(ctx, r)
}

var numbered = regexp.MustCompile(`^ *(\d+) [ +]`)

// read records the numbered lines of a prompt. "=== path" starts a file of the change, "--- path name" a
// part of another file. Its path may contain spaces, so [sight.shown] splits it with the known paths.
func (s *shownLines) read(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	above := heading{}
	for l := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(l, "=== "):
			above = heading{text: strings.TrimSpace(l[4:])}
		case strings.HasPrefix(l, "--- "):
			above = heading{strings.TrimSpace(l[4:]), true}
		default:
			if m := numbered.FindStringSubmatch(l); m != nil {
				if n, err := strconv.Atoi(m[1]); err == nil {
					if s.lines[above] == nil {
						s.lines[above] = map[int]bool{}
					}
					s.lines[above][n] = true
				}
			}
		}
	}
}

// count counts the definitions that were shown, and separately those in files outside the change.
func (s *shownLines) count(wanted []eval.Definition, set *diff.Set, out *eval.Head) {
	if len(wanted) == 0 {
		return
	}
	touched := map[string]bool{}
	for _, f := range set.Files {
		touched[f.Path] = true
	}
	lines := s.shown(wanted)
	for _, d := range wanted {
		there := lines[place{d.Path, d.Line}]
		if there {
			out.Shown++
		}
		if touched[d.Path] {
			continue
		}
		out.Elsewhere++
		if there {
			out.ShownElsewhere++
		}
	}
}

// shown returns the lines that were shown from the files of definitions.
func (s *shownLines) shown(wanted []eval.Definition) map[place]bool {
	var paths []string
	for _, d := range wanted {
		paths = append(paths, d.Path)
	}
	// Longer paths first, because a short path with a name may equal the beginning of a longer one.
	slices.SortFunc(paths, func(a, b string) int { return len(b) - len(a) })
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[place]bool{}
	for h, lines := range s.lines {
		at := slices.IndexFunc(paths, h.of)
		if at < 0 {
			continue
		}
		for n := range lines {
			out[place{paths[at], n}] = true
		}
	}
	return out
}

// ofChange returns the lines of changed files that were shown as parts of the change.
func (s *shownLines) ofChange(set *diff.Set) map[place]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[place]bool{}
	for _, f := range set.Files {
		for n := range s.lines[heading{text: f.Path}] {
			out[place{f.Path, n}] = true
		}
	}
	return out
}

// of reports whether lines may belong to a file.
func (h heading) of(path string) bool {
	return h.text == path || h.piece && strings.HasPrefix(h.text, path+" ")
}
