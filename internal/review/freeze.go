package review

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/render"
	"github.com/assay-dev/assay/internal/store"
)

// output is the text that a run wants to publish: the body of an outputs row.
type output struct {
	Kind    string          `json:"kind"`
	Payload publish.Payload `json:"payload"`
}

// freeze stores findings and output and hands the run to the publisher, in one transaction with the end of
// this job. how is the cause of the transition.
func (w *work) freeze(ctx context.Context, in engine.Input, result engine.Result, how string) error {
	w.claim.Touch()
	t := w.run.Owner()
	if s := &result.Synopsis; s.Text != "" {
		s.Text, s.Head = w.redactor(result)(s.Text), cmp.Or(s.Head, w.run.HeadSHA)
	}
	placed, err := w.places(ctx, in)
	if err != nil {
		return err
	}
	closings, err := w.closings(ctx, result)
	if err != nil {
		return err
	}
	err = w.Store.InTx(ctx, func(ctx context.Context) error {
		before, err := w.Store.KnownFindings(ctx, t, w.run.PullRequest)
		if err != nil {
			return err
		}
		closed, err := w.dismissClosed(ctx, closings)
		if err != nil {
			return err
		}
		result.Stats.Left.Dismissed += len(closed)
		result.Stats.Earlier -= countOpen(before, closed) // no push has to resolve them any more
		stored, err := w.Store.SaveRunFindings(ctx, w.run, result.Findings)
		if err != nil {
			return err
		}
		if err := w.outdateThreads(ctx, before, result.Findings); err != nil {
			return err
		}
		// Every transaction locks the pull request first, then its findings, then the repository.
		if err := w.renewSecretPrints(ctx, in, result); err != nil {
			return err
		}
		assignIDs(&result, stored)
		if err := w.saveRecords(ctx, result); err != nil {
			return err
		}
		if err := w.saveAnalyses(ctx, in, result); err != nil {
			return err
		}
		if err := w.keepVerdicts(ctx, result); err != nil {
			return err
		}
		if err := w.emitSecretFound(ctx, before, stored); err != nil {
			return err
		}
		d, err := w.draft(ctx, in, result)
		if err != nil {
			return err
		}
		summary, err := w.summary(result)
		if err != nil {
			return err
		}
		if err := w.Store.SetRunResult(ctx, t, w.run.ID, result.Tier, result.ModelState, summary); err != nil {
			return err
		}
		if in.Policy.PublishMode == domain.PublishApproval {
			err = w.await(ctx, d, placed, how)
		} else {
			err = w.send(ctx, d, placed, how)
		}
		if err != nil {
			return err
		}
		return w.claim.Finish(ctx)
	})
	if err == nil {
		w.updateTriageDepth(ctx)
	}
	return err
}

// summary returns the numbers of a run that its page shows.
func (w *work) summary(result engine.Result) (string, error) {
	raw, err := json.Marshal(struct {
		engine.Coverage
		engine.Stats
		engine.Synopsis
		ModelNote string      `json:"modelNote,omitempty"`
		TierWhy   string      `json:"tierWhy,omitempty"`
		Notices   []string    `json:"notices,omitempty"`
		File      []string    `json:"repositoryFile,omitempty"`
		ChecksOff []string    `json:"checksOff,omitempty"`
		Round     int         `json:"round,omitempty"`
		Stages    []StageTime `json:"stages,omitempty"`
		Index     string      `json:"indexCommit,omitempty"`
	}{result.Coverage, result.Stats, result.Synopsis, result.ModelNote, result.TierWhy, result.Notices, result.RepositoryFile,
		result.ChecksOff, w.round, w.clock.measured(time.Now()), result.IndexCommit})
	return string(raw), err
}

// updateTriageDepth gives the first look at the head the depth of this review. It runs outside the review's
// transaction, which must not wait for the look.
func (w *work) updateTriageDepth(ctx context.Context) {
	if err := w.Store.TakeTriageDepth(ctx, w.run.Owner(), w.run.PullRequest, w.run.HeadSHA); err != nil {
		w.log.WarnContext(ctx, "the first look at the head keeps a depth of its own", "error", err)
	}
}

// send stores the output and hands the run to the publisher.
func (w *work) send(ctx context.Context, d draft, placed func(publish.Comment) bool, how string) error {
	if _, err := w.store(ctx, d.output(pages{w.pages, w.based}, placed)); err != nil {
		return err
	}
	return w.Runs.HandOver(ctx, w.run, domain.RunPublishing, how)
}

// store stores an output of the run.
func (w *work) store(ctx context.Context, out output) (store.Output, error) {
	body, digest, err := out.freeze()
	if err != nil {
		return store.Output{}, err
	}
	return w.Store.CreateOutput(ctx, w.run.Owner(), w.run.ID, "", body, digest)
}

// freeze returns the body of an outputs row with its digest.
func (o output) freeze() (body, digest string, err error) {
	raw, err := json.Marshal(o)
	sum := sha256.Sum256(raw)
	return string(raw), hex.EncodeToString(sum[:]), err
}

// places returns a function that reports whether the diff of the head shows a comment's lines in one hunk.
// It matters only on hosts where a failed create leaves something behind, or where it is not confirmed that they
// refuse such lines. Other hosts report wrong lines themselves, without any loss.
func (w *work) places(ctx context.Context, in engine.Input) (func(publish.Comment) bool, error) {
	if p := w.can.Protocol(); p != codehost.ProtocolDirect && p != codehost.ProtocolMarked {
		return func(publish.Comment) bool { return true }, nil
	}
	set, err := diff.ParseContext(ctx, in.Diff)
	if err != nil {
		return nil, err
	}
	return func(c publish.Comment) bool {
		f := set.File(c.Path)
		if f == nil {
			return false
		}
		last, shown := f.Commentable(domain.Side(c.Side), c.Line)
		if !shown || c.StartLine == 0 {
			return shown
		}
		first, shown := f.Commentable(domain.Side(c.Side), c.StartLine)
		return shown && first == last
	}, nil
}

// emitSecretFound stores the event of a review that found secrets that were not open in the pull request
// before.
func (w *work) emitSecretFound(ctx context.Context, before []store.KnownFinding, found []domain.Finding) error {
	told := map[string]bool{}
	for _, k := range before {
		told[k.ID] = k.State == domain.FindingOpen
	}
	e := domain.SecretFound{RunID: w.run.ID, RepositoryID: w.run.Repository, PullRequest: w.run.Number, HeadSHA: w.run.HeadSHA,
		Rules: []string{}}
	for _, f := range found {
		if !f.Secret() || !f.Shown() || told[f.ID] {
			continue
		}
		e.Count++
		if !slices.Contains(e.Rules, f.RuleID) {
			e.Rules = append(e.Rules, f.RuleID)
		}
	}
	if e.Count == 0 {
		return nil
	}
	body, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return w.Store.AddEvent(ctx, w.run.Owner(), domain.EventSecretFound, w.run.ID, string(body))
}

// assignIDs gives the findings their stable ids, wherever the result names them.
func assignIDs(result *engine.Result, stored []domain.Finding) {
	ids := map[string]string{}
	for i, f := range result.Findings {
		ids[f.ID] = stored[i].ID
	}
	for i, id := range result.Blocking {
		if n, ok := ids[id]; ok {
			result.Blocking[i] = n
		}
	}
	for i, d := range result.Discarded {
		result.Discarded[i].FindingID = ids[d.FindingID]
	}
	result.Findings = stored
}

// draft collects everything that the text of the run depends on.
func (w *work) draft(ctx context.Context, in engine.Input, result engine.Result) (draft, error) {
	before, err := w.Store.PublishedBefore(ctx, w.run.Owner(), w.run.PullRequest, w.run.ID)
	first := errs.Is(err, errs.NotFound)
	if err != nil && !first {
		return draft{}, err
	}
	pull, err := w.Store.PullRequest(ctx, w.run.Owner(), w.run.PullRequest)
	if err != nil {
		return draft{}, err
	}
	d := draft{Result: result, Run: render.Run{ID: w.run.ID, HeadSHA: w.run.HeadSHA, PreviousHead: before.HeadSHA, Round: w.round},
		First:  first || pull.SummaryReview == "",
		Policy: in.Policy, Host: w.can, DetailsURL: w.link(w.run), FindingsURL: w.findingsPage(w.run), redact: w.redactor(result)}
	if d.Back, err = w.alreadyReviewed(ctx); err != nil {
		return d, err
	}
	if d.Raised, err = w.listRaises(ctx, before, result); err != nil {
		return d, err
	}
	d.Issues, err = w.issues(ctx)
	return d, err
}

// redactor removes the secrets of the change, and everything else that looks like a secret, from outgoing
// text.
func (w *work) redactor(result engine.Result) func(string) string {
	if result.Redact == nil {
		return w.Scan
	}
	return func(s string) string { return w.Scan(result.Redact(s)) }
}

// findingsPage returns the address to which the id of a finding is added to get its page, or "" like [Service.link].
func (s *Service) findingsPage(run store.Run) string {
	if s.Base == "" {
		return ""
	}
	return s.repositoryPage(run.Tenant, run.Repository) + "/findings/"
}

// RunPage returns the address of the run's page, "" if the instance has no public address.
func (s *Service) RunPage(run store.Run) string { return s.link(run) }

// link returns the address of the run's page, "" if the instance has no public address.
func (s *Service) link(run store.Run) string {
	if s.Base == "" {
		return ""
	}
	return s.repositoryPage(run.Tenant, run.Repository) + "/runs/" + run.ID
}

// repositoryPage returns the address of a repository's page.
func (s *Service) repositoryPage(tenant, repository string) string {
	return s.Base + "/t/" + tenant + "/repositories/" + repository
}

func payload(head string, text render.Output, result engine.Result, first bool) publish.Payload {
	p := publish.Payload{Commit: head, Body: text.Body, Resolved: result.Resolved, Hunks: result.Hunks}
	if !first {
		p.SummaryBody = text.SummaryBody
	}
	p.Check.Title, p.Check.Summary, p.Check.Conclusion = text.CheckTitle, text.CheckSummary, text.CheckConclusion
	for _, c := range text.Comments {
		p.Comments = append(p.Comments, publish.Comment{FindingID: c.FindingID, Fingerprint: c.Fingerprint,
			DraftComment: codehost.DraftComment{Path: c.Path, Side: string(c.Side), StartLine: c.StartLine, Line: c.Line, Body: c.Body}})
	}
	for _, f := range result.Open() {
		if f.Route != domain.RouteInline && f.Route != domain.RouteSummary {
			continue
		}
		p.Posted = append(p.Posted, f.ID)
		if f.Earlier != nil && f.Earlier.Comment != "" {
			p.Returned = append(p.Returned, publish.Return{FindingID: f.ID, Comment: f.Earlier.Comment})
		}
	}
	return p
}

// renewSecretPrints adds the fingerprints under the newest key to the suppressions of secrets that the review has left out by
// a fingerprint under an older key, so that they stay in effect when the older key is removed.
func (w *work) renewSecretPrints(ctx context.Context, in engine.Input, result engine.Result) error {
	for _, f := range result.Findings {
		i := slices.IndexFunc(in.Suppressions, func(s domain.Suppression) bool { return s.ID == f.SuppressedBy })
		if i < 0 || len(f.SecretDigests) == 0 || slices.Contains(in.Suppressions[i].Matches, f.Fingerprints.Exact) {
			continue
		}
		err := w.Store.AddSuppressionPrint(ctx, w.run.Owner(), w.run.Repository, f.SuppressedBy, f.Fingerprints.Exact)
		if err != nil && !errs.Is(err, errs.NotFound) {
			return err
		}
	}
	return nil
}
