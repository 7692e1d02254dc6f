package local

import (
	"fmt"
	"io"
	"sync"

	"github.com/assay-dev/assay/internal/review/ask"
)

// progress redraws one line.
type progress struct {
	mu sync.Mutex
	w  io.Writer
}

func newProgress(w io.Writer) *progress { return &progress{w: w} }

var stageNames = map[string]string{
	"parse": "reading the change", "check": "deterministic checks", "triage": "choosing what to review",
	"intent": "reading the description", "guidelines": "reading the guidelines",
	"generate": "looking for defects", "verify": "verifying", "rank": "ranking",
}

// Words describes the progress of a review in one line.
func Words(s ask.Progress) string {
	line := stageNames[s.Stage]
	if s.Total > 0 && s.Stage != "check" {
		line += fmt.Sprintf(" %d/%d", s.Done, s.Total)
	}
	if s.Calls > 0 {
		line += fmt.Sprintf(" · %d calls, %d tokens", s.Calls, s.Tokens)
	}
	return line
}

func (p *progress) show(s ask.Progress) {
	if p.w == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.w, "\r\x1b[K%s", Words(s)) // carriage return, erase to the end of the line (ECMA-48, EL)
}

func (p *progress) clear() {
	if p.w != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
