package review

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/report"
	"github.com/assay-dev/assay/internal/review/sast"
	"github.com/assay-dev/assay/internal/sarif"
	"github.com/assay-dev/assay/internal/store"
)

// uploadedAnalyses reads the documents that were uploaded for the head. One that is not readable any more is left out with its
// reason.
func (w *work) uploadedAnalyses(ctx context.Context) ([]sast.Input, error) {
	rows, err := w.Store.SastUploads(ctx, w.run.Owner(), w.run.Repository, w.run.HeadSHA)
	if err != nil {
		return nil, err
	}
	var out []sast.Input
	for _, row := range rows {
		body, err := w.Documents.Open(ctx, w.run.Owner(), w.run.Repository, row.ID)
		if errs.Is(err, errs.NotFound) {
			continue // deleted after the retention time
		}
		if err != nil {
			return nil, err
		}
		doc, err := sarif.Read(ctx, body, sarif.DefaultLimits())
		if errors.Is(err, sarif.ErrInvalid) || errors.Is(err, sarif.ErrTooLarge) { // an older version took it
			w.log.WarnContext(ctx, "an uploaded document cannot be read", "document", row.ID, "error", err)
			continue
		}
		if err != nil {
			return nil, err
		}
		named := store.FromJSON[[]sast.Analysis](row.Analysers)
		for i := range doc.Runs {
			if i < len(named) && named[i].Name != "" {
				doc.Runs[i].Tool = named[i].Name
			}
		}
		out = append(out, sast.Input{ID: row.ID, Source: sast.SourceUpload, Document: doc})
	}
	return out, nil
}

// checksName is the name of the service's own checks among the analysers of a run.
const checksName = "assay"

// saveAnalyses stores what the review found in uploaded documents, and the run of its own checks with SARIF. It belongs to the
// transaction that ends the review.
func (w *work) saveAnalyses(ctx context.Context, in engine.Input, result engine.Result) error {
	t := w.run.Owner()
	uploads := map[string]*store.SastRun{}
	byUpload := map[string][]sast.Analysis{}
	for _, a := range result.Analyses {
		if a.ID == "" {
			continue
		}
		row := uploads[a.ID]
		if row == nil {
			row = &store.SastRun{Record: store.Record{ID: a.ID}, Run: w.run.ID, State: "completed"}
			uploads[a.ID] = row
		}
		row.NewFindings, row.OldFindings = row.NewFindings+int64(a.New), row.OldFindings+int64(a.Old)
		if a.Failed {
			row.State, row.Reason = "failed", sast.WhyFailed
		}
		byUpload[a.ID] = append(byUpload[a.ID], a)
	}
	for _, input := range in.Analyses {
		row := uploads[input.ID]
		switch {
		case input.ID == "" || !in.Policy.Deterministic.StaticAnalysis:
			continue
		case row == nil: // it has no run that can be read
			row = &store.SastRun{Record: store.Record{ID: input.ID}, Run: w.run.ID, State: "completed"}
		}
		of := slices.Concat([]sast.Analysis{}, byUpload[input.ID])
		left := slices.DeleteFunc(notesOf(result.AnalysesLeft, of), func(n sast.Note) bool { return n.Unit == sast.UnitRuns })
		row.Analysers, row.LeftOut = store.JSON(of), store.JSON(append(left, input.Notes()...)) // the document's own notes on runs
		if err := w.Store.UseSastUpload(ctx, t, *row); err != nil && !errs.Is(err, errs.NotFound) {
			return err
		}
	}
	return w.saveChecks(ctx, in, result)
}

// notesOf returns the notes about some analysers.
func notesOf(all []sast.Note, of []sast.Analysis) []sast.Note {
	out := []sast.Note{}
	for _, n := range all {
		for _, a := range of {
			if a.Name == n.Analyser {
				out = append(out, n)
				break
			}
		}
	}
	return out
}

// saveChecks stores the run of the service's own checks. Its document has the findings of all checks and analysers of the review.
func (w *work) saveChecks(ctx context.Context, in engine.Input, result engine.Result) error {
	own := sast.Analysis{Source: store.SastReview, Name: checksName, Version: engineVersion,
		DurationMS: w.clock.of("check").Milliseconds()}
	var found []domain.Finding
	for _, f := range result.Findings {
		if !f.Origin.Deterministic() {
			continue
		}
		found = append(found, f)
		if _, ok := domain.AnalyserOf(f.RuleID); !ok && f.State == domain.FindingOpen {
			own.New, own.Results = own.New+1, own.Results+1
		}
	}
	analyses := []sast.Analysis{own}
	for _, a := range result.Analyses {
		if a.ID == "" { // an upload has a row
			analyses = append(analyses, a)
		}
	}
	analyses = append(analyses, result.SilentAnalysers...)
	row := store.SastRun{Record: store.Record{Repository: w.run.Repository}, Run: w.run.ID, HeadSHA: w.run.HeadSHA, State: "completed",
		Analysers: store.JSON(analyses), LeftOut: store.JSON(notesOf(result.AnalysesLeft, analyses))}
	for _, a := range analyses {
		row.NewFindings, row.OldFindings = row.NewFindings+int64(a.New), row.OldFindings+int64(a.Old)
	}
	var body bytes.Buffer
	if err := report.WriteChecks(&body, engineVersion, found, result.UncheckedFiles, w.redactor(result)); err != nil {
		return err
	}
	return w.Documents.AddReview(ctx, w.run.Owner(), row, body.Bytes())
}

// uploadPause is how often a waiting review looks for uploads.
const uploadPause = 5 * time.Second

// maxUploadWait bounds the policy's wait for uploads.
const maxUploadWait = 10 * time.Minute

// awaitUpload gives the job back until the head has results of analysers, as long as the policy waits for them. It holds no worker.
func (s *Service) awaitUpload(ctx context.Context, run store.Run) error {
	policy, err := s.Policy(ctx, run.Owner(), run.Repository)
	if err != nil {
		return err
	}
	wait := min(time.Duration(policy.UploadWaitMinutes)*time.Minute, maxUploadWait)
	left := wait - time.Duration(run.NowUS-run.StartedUS)*time.Microsecond
	if !policy.Deterministic.StaticAnalysis || wait <= 0 || left <= 0 {
		return nil
	}
	there, err := s.Store.SastUploads(ctx, run.Owner(), run.Repository, run.HeadSHA)
	if err != nil || len(there) > 0 {
		return err
	}
	return &jobs.Snooze{For: min(uploadPause, left), Why: "results of analysers may still be uploaded for the commit", Kind: domain.WaitUpload}
}
