// Package record keeps runs of the harness in files: what was reviewed and said,
// and what judges made of it, so that a run can be reported, judged and compared
// later without asking a model again.
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

// Version is that of the form of a [Run].
const Version = 2

// MaxFile bounds a file that is read or written, in bytes (a design choice: a thousand cases
// of three runs take a tenth of it).
const MaxFile = 512 << 20

// errLarge says that a run cannot be kept.
func errLarge(most int) error {
	return fmt.Errorf("the run has more than %d bytes, and could not be read again: measure fewer cases or runs at once", most)
}

// Room is the room for outcomes in a file of a run, so that a run that becomes too
// large for it is ended before more of it is paid for. It is not safe for concurrent
// use.
type Room struct{ most, left int }

// NewRoom makes the room of a file of so many bytes, usually [MaxFile]. An eighth is
// kept for what is under way when it is full, and for what stands beside outcomes.
func NewRoom(most int) *Room { return &Room{most, most - most/8} }

// Take takes the room of an outcome; the error says that there is not enough.
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
	Run        int               `json:"run"` // the version of this form: 2
	Made       score.Made        `json:"made"`
	Outcomes   []eval.Outcome    `json:"outcomes"`
	Judgements []score.Judgement `json:"judgements,omitempty"`
	Answers    judge.Answers     `json:"answers,omitempty"` // of judges, by question
}

// Report says what the run says of the engine.
func (r Run) Report() score.Report {
	return score.Score(r.Outcomes, r.options())
}

// Compare says how another run differs from this one, on the cases that both have.
func (r Run) Compare(other Run) score.Comparison {
	return score.Compare(r.Outcomes, other.Outcomes, r.options(), other.Made)
}

func (r Run) options() score.Options {
	return score.Options{Made: r.Made, Seed: r.Made.Seed, Judgements: r.Judgements}
}

// Save writes the run into a file; one that is there is replaced as a whole. A run
// that is larger than what [Load] reads is refused, and nothing is written.
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
	defer func() { _ = os.Remove(f.Name()) }() // gone by then, where all went well
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
		return r, fmt.Errorf("%s has more than %d bytes, which no run of the harness has", path, most)
	case err != nil:
		return r, fmt.Errorf("%s is not a run of the harness: %w", path, err)
	case r.Run != Version:
		return r, fmt.Errorf("%s is not a run of the harness, or one of another version (run must be %d)", path, Version)
	}
	return r, nil
}
