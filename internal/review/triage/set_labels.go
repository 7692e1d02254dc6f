package triage

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/store"
)

const (
	subjectTriage = "triage" // the subject of these writes in the intent log
	verbLabels    = "add_labels"

	// spareAfter is how long labels wait if more important writes need the budget.
	spareAfter = time.Minute
)

// noLabels is the reason why suggested labels are not set on a host without labels.
const noLabels = "this kind of code host has no labels on pull requests: they are suggestions only"

// wantsLabels reports whether a policy wants labels to be set.
func wantsLabels(p domain.Policy) bool {
	return p.Enabled && p.TriageLabels && p.PublishMode != domain.PublishSilent
}

// unsetReason returns why wanted labels will not be set, "" if there is nothing to report.
func unsetReason(at pullPlace, labels []string) string {
	if _, can := codehost.LabelerOf(at.host); can || !wantsLabels(at.policy) || len(labels) == 0 {
		return ""
	}
	return noLabels
}

// wantLabels stores the labels that are to be set, and enqueues the job that sets them.
func (s *Service) wantLabels(ctx context.Context, run store.TriageRun, at pullPlace) error {
	labels := labelsOf(run)
	if _, can := codehost.LabelerOf(at.host); !can || !wantsLabels(at.policy) || len(labels) == 0 {
		return nil
	}
	fresh, err := s.Store.WantTriageLabels(ctx, run.Owner(), run, labels)
	if err != nil || fresh == 0 {
		return err
	}
	_, err = s.Store.Enqueue(ctx, store.NewJob{Kind: domain.KindLabel, FairKey: run.Tenant, Subject: run.ID, Tenant: run.Tenant,
		Dedup: string(domain.KindLabel) + ":" + run.ID})
	return err
}

// Label sets the labels of a triage run, each once. If a worker died after the write, the next one finds
// its intent and the labels, and only records them.
func (s *Service) Label(ctx context.Context, c *jobs.Claim) error {
	run, err := s.Store.TriageForWork(ctx, c.Job.Subject)
	if err != nil {
		return err
	}
	waiting, err := s.waiting(ctx, run)
	if err != nil || len(waiting) == 0 {
		return err
	}
	c.Stage("label", maxLookTime)
	at, why, err := s.open(ctx, run)
	if err != nil {
		return jobs.Waiting(err)
	}
	if why == "" && !wantsLabels(at.policy) {
		why = "the policy does not want labels to be set any more"
	}
	if why != "" {
		return s.end(ctx, c, run, waiting, domain.LabelDropped, why)
	}
	l, can := codehost.LabelerOf(at.host)
	if !can {
		return s.end(ctx, c, run, waiting, domain.LabelDropped, noLabels)
	}
	set, maybe, err := s.written(ctx, run)
	if err != nil {
		return err
	}
	if set { // only the record is missing; a person may have removed a label since
		return s.end(ctx, c, run, waiting, domain.LabelSet, "")
	}
	there, err := l.Labels(ctx, at.repo, run.Number)
	if err != nil {
		return s.refused(ctx, c, run, waiting, err)
	}
	missing := slices.DeleteFunc(slices.Clone(waiting), func(w string) bool {
		return slices.ContainsFunc(there, func(t string) bool { return strings.EqualFold(t, w) })
	})
	if len(missing) < len(waiting) {
		to := domain.LabelThere
		if maybe {
			to = domain.LabelSet
		}
		if err := s.mark(ctx, run, slices.DeleteFunc(slices.Clone(waiting), func(w string) bool { return slices.Contains(missing, w) }),
			to, ""); err != nil {
			return err
		}
	}
	if len(missing) == 0 {
		return nil
	}
	spare, err := at.host.Spare(ctx, at.repo)
	if err != nil {
		return jobs.Waiting(err)
	}
	if !spare {
		return &jobs.Snooze{For: spareAfter, Why: "the budget of writes to the host is needed for reviews"}
	}
	write := store.WriteAttempt{SubjectKind: subjectTriage, SubjectID: run.ID, Verb: verbLabels, Target: fmt.Sprintf("#%d", run.Number)}
	err = c.Write(ctx, run.Owner(), write, func(ctx context.Context) error { return l.AddLabels(ctx, at.repo, run.Number, missing) })
	if err != nil {
		return s.refused(ctx, c, run, missing, err)
	}
	return s.end(ctx, c, run, missing, domain.LabelSet, "")
}

// written reports whether the write of a run's labels was applied, or may have been.
func (s *Service) written(ctx context.Context, run store.TriageRun) (set, maybe bool, err error) {
	writes, err := s.Store.Writes(ctx, run.Owner(), subjectTriage, run.ID)
	for _, w := range writes {
		set = set || w.Outcome == "ok"
		maybe = maybe || w.Outcome == "" || w.Outcome == string(codehost.ClassAmbiguous)
	}
	return set, maybe, err
}

// refused drops labels that the host will never accept, and retries the others.
func (s *Service) refused(ctx context.Context, c *jobs.Claim, run store.TriageRun, labels []string, err error) error {
	switch class := codehost.ClassOf(err); {
	case codehost.IsAccessLost(err), class == codehost.ClassInvalid, class == codehost.ClassTooLarge, class == codehost.ClassForbidden:
		return s.end(ctx, c, run, labels, domain.LabelDropped, "the host refuses it: "+string(class))
	}
	return jobs.Waiting(err)
}

// waiting returns the labels of a run that are still to be set.
func (s *Service) waiting(ctx context.Context, run store.TriageRun) (out []string, err error) {
	all, err := s.Store.TriageLabels(ctx, run.Owner(), run.PullRequest)
	for _, l := range all {
		if l.Triage == run.ID && l.State == domain.LabelWaiting {
			out = append(out, l.Label)
		}
	}
	return out, err
}

func (s *Service) mark(ctx context.Context, run store.TriageRun, labels []string, to domain.LabelState, why string) error {
	return s.Store.Atomically(ctx, func(ctx context.Context) error {
		for _, l := range labels {
			if _, err := s.Store.EndTriageLabel(ctx, run.Owner(), run.PullRequest, l, to, why); err != nil {
				return err
			}
		}
		return nil
	})
}

// end records the fate of labels together with the end of the job.
func (s *Service) end(ctx context.Context, c *jobs.Claim, run store.TriageRun, labels []string, to domain.LabelState, why string) error {
	if why != "" {
		s.Logger.InfoContext(ctx, "labels are not set", "triage", run.ID, "reason", why)
	}
	return s.Store.InTx(ctx, func(ctx context.Context) error {
		if err := s.mark(ctx, run, labels, to, why); err != nil {
			return err
		}
		return c.Finish(ctx)
	})
}

// labelDead records that labels were given up.
func (s *Service) labelDead(ctx context.Context, j store.Job, d jobs.Death) error {
	run, err := s.Store.TriageForWork(ctx, j.Subject)
	if err != nil {
		return err
	}
	waiting, err := s.waiting(ctx, run)
	if err != nil {
		return err
	}
	return s.mark(ctx, run, waiting, domain.LabelDropped, d.Reason)
}
