package drive

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/engine"
)

// sight notes which lines of which files prompts show.
type sight struct {
	mu    sync.Mutex
	lines map[place]bool
}

type place struct {
	path string
	line int
}

func newSight() *sight { return &sight{lines: map[place]bool{}} }

// watch returns the same routes, whose prompts are read.
func (s *sight) watch(m *engine.Models) *engine.Models {
	if m == nil {
		return nil
	}
	out := *m
	for _, r := range []*engine.Route{&out.Fast, &out.Standard, &out.Strong} {
		if r.Client != nil {
			r.Client = watched{r.Client, s}
		}
	}
	return &out
}

type watched struct {
	llm.Client
	sight *sight
}

// Complete implements [llm.Client].
func (w watched) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	for _, m := range r.Messages {
		w.sight.read(m.Text)
	}
	return w.Client.Complete(ctx, r)
}

var numbered = regexp.MustCompile(`^ *(\d+) [ +]`)

// read notes the numbered lines of a prompt: "=== path" starts a file of the
// change, "--- path name" a piece of another place.
func (s *sight) read(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := ""
	for l := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(l, "=== "):
			path = strings.TrimSpace(l[4:])
		case strings.HasPrefix(l, "--- "):
			path, _, _ = strings.Cut(strings.TrimSpace(l[4:]), " ")
		default:
			if m := numbered.FindStringSubmatch(l); m != nil {
				if n, err := strconv.Atoi(m[1]); err == nil {
					s.lines[place{path, n}] = true
				}
			}
		}
	}
}

// count counts the definitions that were shown, apart those of files that the
// change does not touch.
func (s *sight) count(wanted []eval.Definition, set *diff.Set, out *eval.Head) {
	if len(wanted) == 0 {
		return
	}
	touched := map[string]bool{}
	for _, f := range set.Files {
		touched[f.Path] = true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range wanted {
		there := s.lines[place{d.Path, d.Line}]
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
