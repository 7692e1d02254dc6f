package ci

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/assay-dev/assay/internal/cilog"
	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/wording"
)

// Analyse is the job that reads the log of a failed job and explains it.
func (s *Service) Analyse(ctx context.Context, c *jobs.Claim) error {
	v, err := s.Store.CIAnalysisForWork(ctx, c.Job.Subject)
	if err != nil || v.State.Terminal() {
		return errs.IgnoreAbsent(err)
	}
	c.Stage("log", maxLookTime)
	if v.State == domain.CIQueued {
		moved, err := s.Store.MoveCI(ctx, v.Owner(), v.ID, domain.CIQueued, domain.CIRunning, "")
		if err != nil || !moved {
			return err
		}
	}
	row, err := s.Store.PullRequest(ctx, v.Owner(), v.PullRequest)
	if err != nil {
		return errs.IgnoreAbsent(err)
	}
	at, why, err := s.open(ctx, row)
	if err != nil {
		return jobs.Waiting(err)
	}
	if why == "" && at.pull.HeadSHA != v.HeadSHA {
		why = movedOn
	}
	if why != "" {
		return s.cancel(ctx, c, v, why)
	}
	former := v
	kept, err := s.readLog(ctx, &v, at)
	if err != nil {
		return jobs.Waiting(err)
	}
	if v.OnBase, err = s.onBase(ctx, v, at); err != nil {
		return jobs.Waiting(err)
	}
	c.Stage("explain", maxLookTime+s.CallTime)
	if err := s.explain(ctx, &v, at, kept); err != nil {
		return jobs.Waiting(err)
	}
	now, _, err := policy.Effective(ctx, s.Store, v.Owner(), v.Repository) // the model took minutes
	if err != nil {
		return err
	}
	if !wanted(now) {
		return s.cancel(ctx, c, v, switchedOff)
	}
	return s.complete(ctx, c, former, v)
}

// cancel ends an analysis that nothing is done for.
func (s *Service) cancel(ctx context.Context, c *jobs.Claim, v store.CIAnalysis, why string) error {
	return s.Store.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.Store.MoveCI(ctx, v.Owner(), v.ID, domain.CIRunning, domain.CICancelled, why); err != nil {
			return err
		}
		return c.Finish(ctx)
	})
}

// Why a log is missing, for people.
var (
	logGone      = wording.English(wording.JobLogGone)
	logTooLarge  = wording.English(wording.JobLogTooLarge)
	logForbidden = wording.English(wording.JobLogForbidden)
)

// readLog reads and cuts the log of a job. The excerpt is empty where there is no log; the analysis then says why.
func (s *Service) readLog(ctx context.Context, v *store.CIAnalysis, at place) (kept cilog.Excerpt, err error) {
	v.Log = "[]"
	if v.HostJob == "" || at.ci == nil || !at.host.Capabilities().JobLogs {
		if v.NoLog == "" {
			v.NoLog = noLogWords[codehost.NoLogHost]
		}
		return kept, nil
	}
	var cut error
	err = at.ci.JobLog(ctx, at.repo, domain.HostID(v.HostJob), func(r io.Reader) error {
		kept, cut = cilog.Cut(ctx, r, s.Redactor())
		return cut
	})
	switch class := codehost.ClassOf(err); {
	case err == nil && cut == nil:
	case ctx.Err() != nil:
		return kept, ctx.Err()
	case class == codehost.ClassForbidden:
		v.NoLog = logForbidden
	case codehost.IsAccessLost(err):
		v.NoLog = logGone
	case class == codehost.ClassTooLarge:
		v.NoLog = logTooLarge
	default:
		return kept, errors.Join(err, cut)
	}
	if v.NoLog != "" {
		return cilog.Excerpt{}, nil
	}
	v.Tool, v.LogLines, v.Log = kept.Tool, int64(kept.Total), jsonList(logLines(kept))
	return kept, nil
}

// logLines returns the kept lines with the gaps between them.
func logLines(kept cilog.Excerpt) []domain.CILogLine {
	out := []domain.CILogLine{}
	for i := range len(kept.Lines) + 1 {
		if n := kept.Gap(i); n > 0 {
			out = append(out, domain.CILogLine{LeftOut: n})
		}
		if i < len(kept.Lines) {
			out = append(out, domain.CILogLine{Line: kept.Lines[i].Number, Text: kept.Lines[i].Text})
		}
	}
	return out
}

// onBase returns the end of the same job on the base: failed, passed, or "" if it is unknown.
func (s *Service) onBase(ctx context.Context, v store.CIAnalysis, at place) (string, error) {
	if at.pull.BaseSHA == "" || v.Source != "job" || !at.host.Capabilities().JobLogs {
		return "", nil
	}
	all, _, err := at.ci.Jobs(ctx, at.repo, at.pull.BaseSHA)
	if err != nil && ctx.Err() == nil && codehost.ClassOf(err) != codehost.ClassLimited {
		return "", nil // the cause can be found without it
	}
	_, named, _ := strings.Cut(v.Key, "/") // the base has runs of other events
	for _, j := range all {
		if j.State != codehost.JobDone || jobKey("job", j.Workflow, j.Name) != "job/"+named {
			continue
		}
		switch {
		case codehost.IsFailure(j.Conclusion):
			return "failed", nil
		case j.Conclusion == "success":
			return "passed", nil
		}
	}
	return "", err
}

// explain finds the cause: by the patterns of the log, and with a model if one is routed and answers.
func (s *Service) explain(ctx context.Context, v *store.CIAnalysis, at place, kept cilog.Excerpt) error {
	notes := logNotes(kept)
	v.Method, v.Relation = domain.CIByPattern, domain.CIUnclear
	v.Cause = clip.Bytes(s.Scan(patternCause(*v, kept)), domain.MaxCICause)
	v.Evidence = jsonList(patternEvidence(kept))
	models, recorder, err := s.Models(ctx, review.Caller{Tenant: v.Owner(), Repository: v.Repository, Run: v.ID, Kind: store.RunKindCI})
	if err != nil {
		return err
	}
	facts := decoded[string](v.Facts)
	switch {
	case models == nil:
		v.Reason = "without a model: none is routed"
	case len(kept.Lines) == 0 && len(facts) == 0:
		v.Reason = "without a model: there is nothing to read"
	default:
		more, err := s.askModel(ctx, v, at, kept, models, recorder)
		if err != nil {
			return err
		}
		notes = append(notes, more...)
	}
	v.Notes = jsonList(notes)
	return nil
}

// askModel has a model explain the failure. Without a usable answer the patterns' result stays, and the analysis says why.
func (s *Service) askModel(ctx context.Context, v *store.CIAnalysis, at place, kept cilog.Excerpt, models *ask.Models,
	recorder ask.Recorder) (notes []string, err error) {
	raw, err := s.Change(ctx, at.host, at.repo, v.Number)
	if err != nil {
		return nil, err
	}
	set, err := diff.ParseContext(ctx, []byte(s.Scan(string(raw))))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		notes, set = append(notes, "The change could not be read, so the model saw the log alone."), nil
	}
	out, err := s.Engine(engine.Deps{Recorder: recorder, Stages: answerStore{s.Store, *v}, Logger: s.Logger}).ExplainFailure(ctx, models,
		engine.FailureInput{Job: v.Job, Tool: v.Tool, Log: logLines(kept), Facts: decoded[string](v.Facts), Change: set,
			Language: at.policy.Language})
	v.Model = out.Model
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		s.Logger.WarnContext(ctx, "a failed job was analysed without the model", "analysis", v.ID, "error", err)
		v.Reason = "without the model: " + failureReason(err)
		return notes, nil
	}
	v.Method, v.Relation = domain.CIByModel, out.Relation
	v.Cause, v.Suggestion = clip.Bytes(s.Scan(out.Cause), domain.MaxCICause), clip.Bytes(s.Scan(out.Suggestion), domain.MaxCISuggestion)
	v.Evidence = jsonList(out.Evidence)
	if out.Dropped > 0 {
		notes = append(notes, fmt.Sprintf("%d quotations of the model stand neither in the kept log nor in the change, and were dropped.",
			out.Dropped))
	}
	if out.LeftOut > 0 {
		notes = append(notes, fmt.Sprintf("%d files of the change did not fit into the question to the model.", out.LeftOut))
	}
	return notes, nil
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

// logNotes says what the excerpt of a log lacks.
func logNotes(kept cilog.Excerpt) (notes []string) {
	if kept.CutStart {
		notes = append(notes, "The beginning of the log is missing.")
	}
	if kept.CutEnd {
		notes = append(notes, "The end of the log is missing, or lies beyond the bytes that assay reads.")
	}
	if kept.More > 0 {
		notes = append(notes, fmt.Sprintf("%d more failures of the log are not named.", kept.More))
	}
	return notes
}

const (
	namedFailures = 3  // failures that a cause without a model names (design choice)
	maxMore       = 40 // bytes of the words about further ones
)

// patternCause describes the failures that the patterns of the log found.
func patternCause(v store.CIAnalysis, kept cilog.Excerpt) string {
	if v.NoLog != "" {
		facts := decoded[string](v.Facts)
		return strings.Join(facts[:min(len(facts), namedFailures)], " ")
	}
	if len(kept.Failures) == 0 {
		return wording.English(wording.JobCauseUnknown)
	}
	var out []string
	for _, f := range kept.Failures[:min(len(kept.Failures), namedFailures)] {
		say := f.Tool
		if f.Name != "" {
			say += ": " + f.Name
		}
		if f.File != "" {
			say += fmt.Sprintf(" (%s:%d)", f.File, f.Line)
		}
		if f.Message != "" {
			say += ": " + f.Message
		}
		out = append(out, say)
	}
	cause := strings.Join(out, "; ")
	if more := len(kept.Failures) - len(out) + kept.More; more > 0 {
		return wording.English(wording.JobCauseMore, clip.Bytes(cause, domain.MaxCICause-maxMore), more)
	}
	return cause
}

// patternEvidence quotes the lines of the log that begin a failure.
func patternEvidence(kept cilog.Excerpt) []domain.CIEvidence {
	out := []domain.CIEvidence{}
	for _, f := range kept.Failures {
		for _, l := range kept.Lines {
			if l.Number == f.LogLine && len(out) < domain.MaxCIEvidence {
				out = append(out, domain.CIEvidence{Source: "log", Line: l.Number, Text: l.Text})
				break
			}
		}
	}
	return out
}

// complete records the result and its consequences together with the end of the job. The analysis of a repeated job is an event only if
// it has another log or cause than the former one. A result of an attempt that was repeated meanwhile is dropped, and the new attempt
// is read.
func (s *Service) complete(ctx context.Context, c *jobs.Claim, former, v store.CIAnalysis) error {
	t, held := v.Owner(), false
	err := s.Store.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.Store.PullRequestForUpdate(ctx, t, v.PullRequest); err != nil {
			return err
		}
		var err error
		if held, err = s.Store.SetCIResult(ctx, t, v); err != nil || !held {
			return err
		}
		if _, err := s.Store.MoveCI(ctx, t, v.ID, domain.CIRunning, domain.CICompleted, v.Reason); err != nil {
			return err
		}
		if former.Method == "" || former.Log != v.Log || former.Cause != v.Cause {
			body := store.JSON(domain.CIAnalysisCompleted{AnalysisID: v.ID, RepositoryID: v.Repository, PullRequest: v.Number,
				HeadSHA: v.HeadSHA, Job: v.Job, Relation: v.Relation, Cause: v.Cause, Flaky: v.Flaky})
			if err := s.Store.AddEvent(ctx, t, domain.EventCIAnalysis, v.ID, body); err != nil {
				return err
			}
		}
		if _, err := s.Store.EnqueueAwaited(ctx, t, domain.KindCIComment, v.PullRequest); err != nil {
			return err
		}
		return c.Finish(ctx)
	})
	if err != nil || held {
		return err
	}
	now, err := s.Store.CIAnalysisForWork(ctx, v.ID)
	if err == nil && now.State == domain.CIRunning {
		return &jobs.Snooze{Why: "the job was repeated while it was analysed"}
	}
	return errs.IgnoreAbsent(err)
}

// answerStore stores a model's answers for an analysis, so that one whose worker died does not pay for them twice. The hash of the
// question identifies an answer; the stage is ignored because there is only one.
type answerStore struct {
	store    *store.Store
	analysis store.CIAnalysis
}

// Load implements [ask.StageStore].
func (a answerStore) Load(ctx context.Context, _, inputHash string) ([]byte, bool, error) {
	return a.store.CIAnswer(ctx, a.analysis.Owner(), a.analysis.ID, inputHash)
}

// Save implements [ask.StageStore].
func (a answerStore) Save(ctx context.Context, _, inputHash string, out []byte) error {
	return a.store.SaveCIAnswer(ctx, a.analysis.Owner(), a.analysis.ID, inputHash, out)
}

// jsonList encodes a list; nil is the empty list.
func jsonList[T any](v []T) string {
	if v == nil {
		v = []T{}
	}
	return store.JSON(v)
}

// decoded reads a list that jsonList has written.
func decoded[T any](text string) (out []T) {
	_ = json.Unmarshal([]byte(text), &out) // written by jsonList
	return out
}
