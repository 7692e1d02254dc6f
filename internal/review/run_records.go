package review

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/hunkcodec"
	"github.com/assay-dev/assay/internal/store"
)

// maxDiffText bounds the stored lines of one run's change, in bytes. Files that a model sees come before
// the others (design choice).
const maxDiffText = 4 << 20

// saveRecords stores the records that explain a run later: the change as it was reviewed, the discarded candidates, and which code
// prompts showed beside the change. None contains a secret that was withheld from prompts. It belongs to the transaction that
// ends the review.
func (w *work) saveRecords(ctx context.Context, result engine.Result) error {
	t, redact := w.run.Owner(), w.redactor(result)
	files, err := diffRows(result.Diff, redact)
	if err != nil {
		return err
	}
	if err := w.Store.SaveRunDiff(ctx, t, w.run.ID, files); err != nil {
		return err
	}
	dropped := make([]store.DroppedCandidate, len(result.Discarded))
	for i, d := range result.Discarded {
		f := d.Finding
		for _, text := range []*string{&f.Title, &f.Explanation, &f.VerdictWhy, &f.RuleID, &f.Anchor.Path, &d.Check.Reason} {
			*text = redact(*text)
		}
		dropped[i] = store.DroppedCandidate{Stage: d.Stage, Why: d.Why, FindingID: d.FindingID, Finding: f, Check: d.Check}
	}
	if err := w.Store.SaveDropped(ctx, t, w.run.ID, dropped); err != nil {
		return err
	}
	shown := make([]store.ContextItem, len(result.Context))
	for i, c := range result.Context {
		shown[i] = store.ContextItem{Path: redact(c.Path), StartLine: int64(c.Start), EndLine: int64(c.End), Symbol: redact(c.Symbol),
			Why: string(c.Why), About: redact(c.About)}
	}
	return w.Store.SaveRunContext(ctx, t, w.run.ID, shown)
}

// diffRows returns the rows of a change, within the bounds. The engine has already removed the secrets that
// it found with their surroundings.
func diffRows(set *diff.Set, redact func(string) string) ([]store.DiffFile, error) {
	if set == nil {
		return nil, nil
	}
	files := set.Files[:min(len(set.Files), store.MaxDiffFiles)]
	order := make([]int, len(files))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ignored(files[a]), ignored(files[b])) })
	rows, left := make([]store.DiffFile, len(files)), maxDiffText
	for _, i := range order {
		f := files[i]
		packed, err := hunkcodec.Pack(f.Hunks, left)
		if err != nil {
			return nil, err
		}
		left -= packed.Text
		rows[i] = store.DiffFile{Path: redact(f.Path), OldPath: redact(f.OldPath), Status: string(f.Status), Class: string(f.Class),
			Language: f.Language, Binary: f.Binary,
			Additions: f.Additions, Deletions: f.Deletions, Omitted: f.Omitted, Cut: packed.Cut, Hunks: packed.Hunks}
	}
	return rows, nil
}

func ignored(f *diff.File) int {
	if f.Class.Ignored() {
		return 1
	}
	return 0
}

// StageTime is the duration of a stage of a review, measured by the reviewing process in its last attempt.
type StageTime struct {
	Stage      string  `json:"stage"`
	DurationMS float64 `json:"durationMs"`
}

// clock measures the stages of one attempt. It is not safe for concurrent use.
type clock struct {
	stages []StageTime
	began  time.Time
}

// enter ends the current stage and begins another. A stage that is reported again continues, and one that
// returns adds to its earlier time.
func (c *clock) enter(stage string, now time.Time) {
	if n := len(c.stages); n > 0 {
		c.stages[n-1].DurationMS += float64(now.Sub(c.began).Microseconds()) / 1000
	}
	c.began = now
	at := slices.IndexFunc(c.stages, func(s StageTime) bool { return s.Stage == stage })
	if at < 0 {
		c.stages = append(c.stages, StageTime{Stage: stage})
		return
	}
	again := c.stages[at]
	c.stages = append(slices.Delete(c.stages, at, at+1), again)
}

// measured ends the last stage and returns all of them.
func (c *clock) measured(now time.Time) []StageTime {
	if n := len(c.stages); n > 0 {
		c.stages[n-1].DurationMS += float64(now.Sub(c.began).Microseconds()) / 1000
		c.began = now
	}
	return c.stages
}

// of returns the duration of a stage.
func (c *clock) of(stage string) time.Duration {
	for _, s := range c.measured(time.Now()) {
		if s.Stage == stage {
			return time.Duration(s.DurationMS * float64(time.Millisecond))
		}
	}
	return 0
}
