package fixrun

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/marker"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/fix"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/render"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/wording"
)

const (
	subjectFix = "fix" // subject of these writes in the intent log

	// draftTime is how long a review may be a draft. Meanwhile the host accepts no reply in a thread.
	draftTime = 10 * time.Second
)

// deliver brings the stored result to the host and ends the fix run.
func (w *work) deliver(ctx context.Context) error {
	w.claim.Stage("fix: deliver", stepTime)
	url := ""
	if w.run.Delivery != domain.FixSuggestions && w.run.Passed > 0 && w.run.Instead == "" {
		var err error
		if url, err = w.write(ctx); err != nil {
			return err
		}
		if w.run, err = w.Store.FixRunForWork(ctx, w.run.ID); err != nil {
			return err
		}
	}
	if w.run.CommitSHA == "" && !slices.ContainsFunc(w.findings, func(k store.KnownFinding) bool { return k.State == domain.FindingOpen }) {
		return ending{domain.FixCancelled, notOpen}
	}
	if w.run.CommitSHA == "" && w.run.Passed > 0 {
		if w.pull.HeadSHA != w.run.HeadSHA {
			return ending{domain.FixCancelled, headMoved}
		}
		if err := w.read(ctx); err != nil {
			return err
		}
	}
	left, closed := 0, len(store.FromJSON[[]string](w.run.FindingIDs))-len(w.result.Findings)
	for i, o := range w.result.Findings {
		if w.run.CommitSHA == "" && !w.isOpen(o.FindingID) {
			closed++
			continue
		}
		said, err := w.comment(ctx, i, o, url)
		if err != nil {
			return err
		}
		if !said {
			left++
		}
	}
	if url == "" && len(w.findings) > 0 {
		url = w.findings[0].CommentURL
	}
	why := insteadSentence(w.run.Instead)
	if w.run.Passed == 0 {
		why = noFixPassed
	}
	if closed > 0 {
		why = strings.TrimSpace(fmt.Sprintf("%s Findings that were not open any more, and got no fix: %d.", why, closed))
	}
	if left > 0 {
		why = strings.TrimSpace(fmt.Sprintf("%s The host refused %d of the comments, because %s.", why, left, cmp.Or(w.refusal, noAccess)))
	}
	return w.end(ctx, domain.FixCompleted, why, url)
}

// isOpen reports whether a chosen finding is open.
func (w *work) isOpen(id string) bool {
	return slices.ContainsFunc(w.findings, func(k store.KnownFinding) bool { return k.ID == id && k.State == domain.FindingOpen })
}

// read opens the code of the head if this attempt has not opened it.
func (w *work) read(ctx context.Context) error {
	if w.snap != nil {
		return nil
	}
	_, err := w.open(ctx, nil)
	return err
}

// open opens the code of the change.
func (w *work) open(ctx context.Context, rules []policy.Rule) (engine.Input, error) {
	p := w.policy
	p.GuidelineFiles = false // the findings quote the sentences that they are about
	in, snap, err := review.Gatherer{Store: w.Store, Snapshots: w.Snapshots, DigestKeys: w.DigestKeys,
		CodeIndex: w.CodeIndex}.Gather(ctx, w.host, w.repo, review.Subject{Tenant: w.tenant, Repository: w.run.Repository, PullRequest: w.pull,
		Base: w.review.BaseSHA, MergeBase: w.review.MergeBase, Head: w.run.HeadSHA, Policy: p, Rules: rules, Depth: w.review.Depth})
	w.snap = snap
	return in, err
}

// end ends the fix run with its job.
func (w *work) end(ctx context.Context, to domain.FixState, why, url string) error {
	problem := ""
	if to != domain.FixCompleted {
		problem = why
	}
	if err := w.claim.Outcome(ctx, domain.JobOutcome{Counts: map[string]int{"findings": len(w.findings), "passed": w.run.Passed}},
		problem); err != nil {
		return err
	}
	return w.Store.InTx(ctx, func(ctx context.Context) error {
		if _, err := w.move(ctx, w.run, to, why, url); err != nil {
			return err
		}
		w.log.InfoContext(ctx, "a fix run has ended", "state", to, "passed", w.run.Passed, "delivery", w.run.Delivery)
		return w.claim.Finish(ctx)
	})
}

// comment writes the comment about the fix of one finding, once. It returns false if the host refuses it for good.
func (w *work) comment(ctx context.Context, i int, o fix.Outcome, url string) (said bool, err error) {
	at := slices.IndexFunc(w.findings, func(k store.KnownFinding) bool { return k.ID == o.FindingID })
	if at < 0 {
		return true, nil
	}
	k, id := w.findings[at], fmt.Sprintf("%s-%d", w.run.ID, i+1)
	body, err := w.body(ctx, k, o, url)
	if err != nil {
		return false, err
	}
	return w.post(ctx, id, k.CommentID, body)
}

// post writes a comment of the fix run once: in a thread, or in the conversation if thread is "". It returns false if the host refuses
// it for good.
func (w *work) post(ctx context.Context, id string, thread domain.HostID, body markdown.Text) (said bool, err error) {
	place := marker.Place{Tenant: w.run.Tenant, Repository: w.run.Repository, Number: w.run.Number}
	mark, err := w.Marker.InForm(w.host.Capabilities().Marks).Answer(place, id)
	if err != nil {
		return false, err
	}
	c := jobs.Comment{Tenant: w.tenant, Kind: subjectFix, ID: id, Host: w.host, Repo: w.repo,
		At: codehost.Spot{Number: w.run.Number, Thread: thread}, Since: time.UnixMicro(w.run.CreatedUS),
		Body: markdown.Blocks(body.Scan(w.Scan), mark),
		Ours: func(body string) bool { got, ok := w.Marker.FindAnswer(place, body); return ok && got == id }}
	_, err = w.claim.CommentOnce(ctx, c)
	switch class := codehost.ClassOf(err); {
	case err == nil:
		return true, nil
	case codehost.IsAccessLost(err), class == codehost.ClassInvalid, class == codehost.ClassTooLarge:
		w.refusal = refusals[class]
		w.log.WarnContext(ctx, "a comment of a fix run was refused", "comment", id, "class", class)
		return false, nil
	case class == codehost.ClassSlotTaken:
		return false, &jobs.Snooze{For: draftTime, Why: "a review is being published, and the host takes no reply meanwhile"}
	}
	return false, err
}

// noAccess is the cause of a refusal without an entry in refusals.
const noAccess = "the service has no access to the pull request any more"

// refusals has the causes of refused comments.
var refusals = map[codehost.Class]string{
	codehost.ClassForbidden: "it forbids them, as on a locked conversation or without the permission to comment",
	codehost.ClassInvalid:   "it does not accept their form",
	codehost.ClassTooLarge:  "they are too long",
}

// body writes the text of the comment about the fix of one finding.
func (w *work) body(ctx context.Context, k store.KnownFinding, o fix.Outcome, url string) (markdown.Text, error) {
	words := wording.In(w.policy.Language)
	in := render.Fix{Finding: k.Finding, InThread: k.CommentID != "", Policy: w.policy, Host: w.host.Capabilities(), Redact: w.Scan,
		LinkFor: func(path string, first, last int) string {
			return w.host.FileURL(w.repo, w.run.HeadSHA, path, first, last)
		}}
	switch {
	case !o.Passed:
		in.Refused = sentence(words, o)
	case w.run.CommitSHA != "":
		in.Commit = w.run.CommitSHA
		if w.run.Delivery == domain.FixBranch {
			in.PullURL = url
		}
	default:
		if key, ok := insteadKeys[w.run.Instead]; ok {
			in.Instead = words.Say(key)
		}
		for _, e := range o.Edits {
			in.Changes = append(in.Changes, render.FixChange{Path: e.Path, Start: e.Start, End: e.End, Old: e.Removed, New: e.Replacement})
		}
		if err := w.block(ctx, k, o, &in); err != nil {
			return markdown.Text{}, err
		}
	}
	return render.FixComment(in), nil
}

// block sets the block that a click applies, if all edits of the finding lie within the lines of its thread. The block repeats the
// lines of the thread that stay.
func (w *work) block(ctx context.Context, k store.KnownFinding, o fix.Outcome, in *render.Fix) error {
	first, last, ok := render.ThreadLines(k.Finding, w.policy, in.Host)
	if !ok || k.CommentID == "" || k.ThreadOutdated || o.Outside > 0 || in.Host.Suggestions == codehost.SuggestNone || len(o.Edits) == 0 {
		return nil
	}
	for _, e := range o.Edits {
		if in.Host.Suggestions == codehost.SuggestRange && e.Start < first && first-e.Start <= maxAbove {
			first = e.Start // such a block replaces lines above its comment, too
		}
	}
	text, err := w.snap.Blob(ctx, domain.Right, k.Anchor.Path)
	if err != nil {
		return nil //nolint:nilerr // the diff says the same
	}
	lines := strings.Split(string(text), "\n")
	if last > len(lines) {
		return nil
	}
	var out []string
	next := first
	for _, e := range slices.SortedFunc(slices.Values(o.Edits), func(a, b fix.Edit) int { return a.Start - b.Start }) {
		if path.Clean(e.Path) != path.Clean(k.Anchor.Path) || e.Start < next || e.End > last || e.End < e.Start {
			return nil
		}
		out = append(out, lines[next-1:e.Start-1]...)
		if !e.Delete {
			out = append(out, e.Replacement)
		}
		next = e.End + 1
	}
	out = append(out, lines[next-1:last]...)
	if len(out) == 0 { // a block cannot delete all of its lines on every host
		return nil
	}
	block := strings.Join(out, "\n")
	in.Block, in.BlockAbove = &block, last-first
	return nil
}

// maxAbove is the most lines above a comment that GitLab's suggestions replace (docs.gitlab.com, "Suggest changes").
const maxAbove = 100

// insteadKeys has the texts of the reasons why edits are suggested and not delivered as asked.
var insteadKeys = map[domain.FixInstead]wording.Key{
	domain.FixInsteadPermission: wording.FixNoPermission, domain.FixInsteadFork: wording.FixFork,
	domain.FixInsteadProtected: wording.FixProtected, domain.FixInsteadWorkflow: wording.FixWorkflow,
	domain.FixInsteadHost: wording.FixHostCannot,
}

// insteadSentence returns the reason in English, for the page of the fix run; "" for none.
func insteadSentence(why domain.FixInstead) string {
	key, ok := insteadKeys[why]
	if !ok {
		return ""
	}
	return "The edits are suggested and not delivered as asked. " + wording.English(key)
}
