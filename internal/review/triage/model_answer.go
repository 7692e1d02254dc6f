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

// maxBody is how much of a description is sent to a model, in bytes.
const maxBody = 4000

// askModel lets the fast model choose the kind of change, its main areas and the labels that fit. Size, risk
// and their labels stay as measured. Without an answer nothing changes, and the run records the reason.
func (s *Service) askModel(ctx context.Context, run *store.TriageRun, at pullPlace, set *diff.Set, names []string,
	seen *measuredChange) error {
	models, recorder, err := s.Models(ctx, review.Caller{Tenant: run.Owner(), Repository: run.Repository, Run: run.ID,
		Kind: store.RunKindTriage})
	if err != nil || models == nil {
		return err
	}
	in := engine.ClassifyInput{Title: s.Scan(at.pull.Title), Body: s.Scan(clip.Bytes(at.pull.Body, maxBody)), Areas: seen.Areas}
	for _, f := range set.Files {
		in.Files = append(in.Files, engine.ChangedFile{Path: s.Scan(f.Path), Additions: f.Additions, Deletions: f.Deletions})
	}
	measured := func(l string) bool { m := meaningOf(l); return m.size != "" || m.risk != "" }
	in.Labels = slices.DeleteFunc(slices.Clone(names), measured)
	out, err := s.Engine(engine.Deps{Recorder: recorder, Stages: answerStore{s.Store, *run}, Logger: s.Logger}).Classify(ctx, models, in)
	run.Model = out.Model
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		s.Logger.WarnContext(ctx, "a change was sorted without the model", "triage", run.ID, "error", err)
		run.Reason = "without the model: " + failureReason(err)
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

// answerStore stores a model's answers for a run, so that a run whose worker died does not pay for them twice.
// The hash of the question identifies an answer; the stage is ignored because there is only one.
type answerStore struct {
	store *store.Store
	run   store.TriageRun
}

// Load implements [ask.StageStore].
func (a answerStore) Load(ctx context.Context, _, inputHash string) ([]byte, bool, error) {
	return a.store.TriageAnswer(ctx, a.run.Owner(), a.run.ID, inputHash)
}

// Save implements [ask.StageStore].
func (a answerStore) Save(ctx context.Context, _, inputHash string, out []byte) error {
	return a.store.SaveTriageAnswer(ctx, a.run.Owner(), a.run.ID, inputHash, out)
}

// failureReason explains in fixed words why a model did not answer.
func failureReason(err error) string {
	if errors.Is(err, ask.ErrBudget) {
		return "a budget or a limit has no room for the call"
	}
	if e, ok := errors.AsType[*llm.Error](err); ok {
		return e.Words()
	}
	return "its answer cannot be used"
}

// joinReasons joins the parts that are not empty.
func joinReasons(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "; ")
}
