package cases

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/snapshot"
)

// MineOptions bound what is made of a history. The zero value is usable.
type MineOptions struct {
	Name    string        // of the repository, in ids; "" is the folder's name
	Licence string        // of its code, for the record
	Commits int           // looked at, from HEAD on; 0 means 5,000
	Defects int           // cases with a defect; 0 means 100
	Clean   int           // cases without; 0 means as many as with one, less than 0 none
	Settled int           // commits that must follow a clean one, so that it had time to be repaired; 0 means 50
	Traces  int           // files of repairs whose lines are traced back for clean cases; 0 means 500
	Time    time.Duration // for the tracing; 0 means two minutes
	Seed    uint64        // chooses among more cases than wanted

	Progress Progress // told how far the mining is, and later the writing; may be nil
}

// Progress is told what is being done, in a word or two, and how much of it: done of
// total units. It is called often and by one goroutine at a time, and must be quick.
type Progress func(step string, done, total int)

func (p Progress) tell(step string, done, total int) {
	if p != nil {
		p(step, done, total)
	}
}

func (o MineOptions) filled(repo string) MineOptions {
	o.Name = cmp.Or(o.Name, strings.TrimSuffix(filepath.Base(repo), ".git"))
	o.Commits, o.Defects = cmp.Or(o.Commits, 5000), cmp.Or(o.Defects, 100)
	o.Clean, o.Settled = cmp.Or(o.Clean, o.Defects), cmp.Or(o.Settled, 50)
	o.Traces, o.Time = cmp.Or(o.Traces, 500), cmp.Or(o.Time, 2*time.Minute)
	return o
}

// MineReport says what became of what was looked at.
type MineReport struct {
	Looked   int            // commits, or pairs of releases
	Defects  int            // cases with a defect
	Clean    int            // cases without
	Reversed int            // of Clean, turned round like repairs
	Left     map[string]int // how many fell out, by the reason
	Traced   int            // files of repairs whose lines were traced back
	Untraced int            // and those that were not, for want of time or number: what they touch is not called clean
}

// Mined is a set that was made from histories, with a report on how.
type Mined struct {
	set
	Report    MineReport
	turned    map[string]bool // by id: it is turned round
	maxBundle int64           // bytes of the code of a case that is written
	save      map[string]func(ctx context.Context, dir string, c eval.Case) error
	progress  Progress
}

// Write puts all cases into a folder, as [Folder] reads them. Those that are there
// already, the same and whole, are passed over, so that it can be done again after
// it ended early. Cases that are too large are left out, and taken from the numbers
// of the Report, which no other goroutine may read meanwhile.
func (m *Mined) Write(ctx context.Context, dir string) error {
	list, err := m.Cases(ctx)
	if err != nil {
		return err
	}
	for i, c := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		m.progress.tell("cases written", i, len(list))
		if written(dir, c) {
			continue
		}
		switch err := m.save[c.ID](ctx, dir, c); {
		case errors.Is(err, errLarge):
			m.Report.leave(c, m.turned[c.ID])
		case err != nil:
			return fmt.Errorf("case %s: %w", c.ID, err)
		}
	}
	return nil
}

// leave takes a case that was made from the numbers.
func (r *MineReport) leave(c eval.Case, turned bool) {
	r.Left["its code or case.json is too large to be written"]++
	if c.Kind != eval.Clean {
		r.Defects--
		return
	}
	r.Clean--
	if turned {
		r.Reversed--
	}
}

func newMined(told Progress) *Mined {
	return &Mined{progress: told, Report: MineReport{Left: map[string]int{}}, turned: map[string]bool{}, maxBundle: MaxBundle, save: map[string]func(context.Context, string, eval.Case) error{}}
}

func (m *Mined) finished() (*Mined, error) {
	var err error
	m.entries, err = sorted(m.entries)
	m.known = true
	return m, err
}

// writeBundle puts a case into a folder with its two versions as a bundle, without
// the history that they come from.
func (m *Mined) writeBundle(ctx context.Context, dir string, c eval.Case, s *snapshot.Scratch, base, head string) error {
	commits, err := s.Commit(ctx, snapshot.Version{From: base}, snapshot.Version{From: head})
	if err != nil {
		return err
	}
	return writeCase(dir, c, func(own string) error {
		file := filepath.Join(own, bundleFile)
		if err := s.Bundle(ctx, file, map[string]string{"base": commits[0], "head": commits[1]}); err != nil {
			return err
		}
		info, err := os.Stat(file)
		if err == nil && info.Size() > m.maxBundle {
			err = fmt.Errorf("%w: its files need more than %d bytes", errLarge, m.maxBundle)
		}
		return err
	})
}
