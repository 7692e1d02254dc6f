package triage

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/store"
)

// maxBody is how much of a description a model is told, in bytes.
const maxBody = 4000

// sort lets the fast model say what kind of change it is, which of its areas it is about
// and which labels fit. What the numbers tell stays theirs: size, risk, and labels for
// them. Without an answer all stays as it is, and the run says why.
func (s *Service) sort(ctx context.Context, run *store.TriageRun, at place, set *diff.Set, names []string, seen *Seen) error {
	models, recorder, err := s.Models(ctx, review.Caller{Tenant: run.Owner(), Repository: run.Repository, Run: run.ID, Kind: store.RunKindTriage})
	if err != nil || models == nil {
		return err
	}
	in := engine.Sorting{Title: s.Scan(at.pull.Title), Body: s.Scan(clip.Bytes(at.pull.Body, maxBody)), Areas: seen.Areas}
	for _, f := range set.Files {
		in.Files = append(in.Files, engine.SortedFile{Path: s.Scan(f.Path), Additions: f.Additions, Deletions: f.Deletions})
	}
	measured := func(l string) bool { m := meaningOf(l); return m.size != "" || m.risk != "" }
	in.Labels = slices.DeleteFunc(slices.Clone(names), measured)
	out, err := s.Engine(engine.Deps{Recorder: recorder, Stages: answers{s.Store, *run}, Logger: s.Logger}).Sort(ctx, models, in)
	run.Model = out.Model
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		s.Logger.WarnContext(ctx, "a change was sorted without the model", "triage", run.ID, "error", err)
		run.Reason = "without the model: " + why(err)
		return nil
	}
	seen.Kind, run.Method = out.Kind, domain.TriageModel
	if len(out.Areas) > 0 {
		seen.Areas = out.Areas
	}
	kept := slices.DeleteFunc(slices.Clone(seen.Labels), func(l string) bool { return !measured(l) })
	labels := append(out.Labels, kept...)
	seen.Labels = labels[:min(len(labels), domain.MaxTriageLabels)]
	return nil
}

// answers keeps what a model has answered for a run, so that one whose worker died is not
// paid for twice. There is one question, so the stage does not tell answers apart; the
// hash of what was asked does.
type answers struct {
	store *store.Store
	run   store.TriageRun
}

// Load implements [ask.StageStore].
func (a answers) Load(ctx context.Context, _, inputHash string) ([]byte, bool, error) {
	return a.store.TriageAnswer(ctx, a.run.Owner(), a.run.ID, inputHash)
}

// Save implements [ask.StageStore].
func (a answers) Save(ctx context.Context, _, inputHash string, out []byte) error {
	return a.store.SaveTriageAnswer(ctx, a.run.Owner(), a.run.ID, inputHash, out)
}

// why says in our words why a model did not answer.
func why(err error) string {
	if errors.Is(err, ask.ErrBudget) {
		return "a budget or a limit has no room for the call"
	}
	if e, ok := errors.AsType[*llm.Error](err); ok {
		return e.Words()
	}
	return "its answer cannot be used"
}

// sentences joins what there is to say.
func sentences(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "; ")
}
