package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/eval/byhand"
	"github.com/assay-dev/assay/internal/eval/cassette"
	"github.com/assay-dev/assay/internal/review/ask"
)

// handTime bounds a review that is answered by hand (design choice: longer than a person leaves a run open).
const handTime = 90 * 24 * time.Hour

// answersByHand opens the folder of --by-hand. The answers are recorded: on the file of --record, or on a cassette in
// the folder that every run makes again from the answers there.
func (c *evalRunCmd) answersByHand(e *env, random func(c eval.Case, run, head int) io.Reader) (a answering, done func() error, err error) {
	say := func(format string, args ...any) {
		e.clearProgress()
		e.say(format, args...)
	}
	if c.Quiet {
		say = nil
	}
	folder, err := byhand.Open(c.ByHand, say)
	if err != nil {
		return a, nil, fmt.Errorf("--by-hand: %w", err)
	}
	record, path := cassette.Record, c.Keep
	if path == "" {
		record, path = cassette.Renew, filepath.Join(c.ByHand, "cassette.jsonl")
		if err := checkRegular(path); err != nil {
			return a, nil, fmt.Errorf("--by-hand: %w", err)
		}
	}
	tape, err := record(path, c.recorded(), folder.Models())
	if err != nil {
		return a, nil, fmt.Errorf("--by-hand: %w", err)
	}
	models := tape.Models()
	a = answering{random: random, timeout: handTime, models: func(eval.Case, int, int) (*ask.Models, error) { return models, nil }}
	return a, tape.Close, nil
}

// checkRegular returns an error if path is there and is not a regular file. It does not follow a symbolic link.
func checkRegular(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file: remove it, or name another folder", path)
	}
	return nil
}

// sayHowToGoOn returns the error of a run by hand that was interrupted after some reviews.
func (c *evalRunCmd) sayHowToGoOn(reviews int) error {
	text := fmt.Sprintf("the run was interrupted: run the same command again to go on, which uses the answers in %s", c.ByHand)
	if reviews > 0 {
		text += "; the report is of the reviews that were done before"
	}
	return errors.New(text)
}
