// Package record stores runs of the harness in files: the cases, the findings and the answers of judges, so
// that a run can be reported, judged and compared later without asking a model again.
package record

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/eval/judge"
	"github.com/assay-dev/assay/internal/eval/score"
)

// Version is the version of the form of a [Run].
const Version = 2

// MaxFile is the most bytes of a file that is read or written (a design choice: a thousand cases of three
// runs take a tenth of it).
const MaxFile = 512 << 20

// errLarge returns the error for a run that is too large to store.
func errLarge(most int) error {
	return fmt.Errorf("the run has more than %d bytes, and could not be read again: measure fewer cases or runs at once", most)
}

// Room tracks the room for outcomes in a run's file, so that a run ends before it costs more than the file
// can store. It is not safe for concurrent use.
type Room struct{ most, left int }

// NewRoom returns the room of a file of most bytes, usually [MaxFile]. It reserves an eighth for reviews in
// progress and for data other than outcomes.
func NewRoom(most int) *Room { return &Room{most, most - most/8} }

// Take takes the room of an outcome. It returns an error if there is not enough.
func (r *Room) Take(o eval.Outcome) error {
	raw, err := json.Marshal(o)
	if err != nil {
		return err
	}
	if r.left -= len(raw) + 1; r.left < 0 {
		return errLarge(r.most)
	}
	return nil
}

// Run is a run of the harness.
type Run struct {
	Run        int               `json:"run"` // version of this form: 2
	Made       score.Made        `json:"made"`
	Outcomes   []eval.Outcome    `json:"outcomes"`
	Judgements []score.Judgement `json:"judgements,omitempty"`
	Answers    judge.Answers     `json:"answers,omitempty"` // of judges, by question
}

// Report computes the report of the run.
func (r Run) Report() score.Report {
	return score.Score(r.Outcomes, r.options())
}

// Compare compares the run with another one, on the cases of both.
func (r Run) Compare(other Run) score.Comparison {
	return score.Compare(r.Outcomes, other.Outcomes, r.options(), other.Made)
}

func (r Run) options() score.Options {
	return score.Options{Made: r.Made, Seed: r.Made.Seed, Judgements: r.Judgements}
}

// Save writes the run into a file, and replaces an existing file as a whole. It refuses a run larger than
// [Load] reads, and then writes nothing.
func (r Run) Save(path string) error { return r.save(path, MaxFile) }

func (r Run) save(path string, most int) error {
	r.Run = Version
	raw, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if raw = append(raw, '\n'); len(raw) > most {
		return errLarge(most)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".run-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // already renamed after a success
	_, err = f.Write(raw)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// Load reads a run.
func Load(path string) (Run, error) { return load(path, MaxFile) }

func load(path string, most int) (Run, error) {
	var r Run
	f, err := os.Open(path) //nolint:gosec // named by who measures
	if err != nil {
		return r, err
	}
	defer func() { _ = f.Close() }() // only read
	in := &io.LimitedReader{R: f, N: int64(most) + 1}
	err = json.NewDecoder(in).Decode(&r)
	switch {
	case in.N <= 0:
		return r, fmt.Errorf("%s is larger than %d bytes, the maximum of a run: name a file that assay eval run --output wrote", path, most)
	case err != nil:
		return r, fmt.Errorf("%s is not a file that assay eval run --output wrote: %w", path, err)
	case r.Run != Version:
		return r, fmt.Errorf("%s is not a file that assay eval run --output wrote, or another version wrote it (run must be %d)", path, Version)
	}
	return r, nil
}
