package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/dryrun"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/engine"
)

// Bounds of reviews of diffs (design choices). The process also takes webhooks, so such reviews must leave it
// room.
const (
	maxDiff            = 900_000 // bytes: with any escaping it fits into a request with the rest
	maxReviewsOfToken  = 2       // running at once in this process
	maxReviewsOfPerson = 3
	maxReviewsOfTenant = 6
	maxReviews         = 8 // of all tenants
	maxMoreIn          = 20

	retryReview = 30 * time.Second // the wait that a refused caller is told
)

// DiffWanted is the input of review_diff.
type DiffWanted struct {
	Place
	Diff        string `json:"diff" jsonschema:"A unified diff against base, as git diff makes it, at most 900000 bytes"`
	Base        string `json:"base,omitempty" jsonschema:"The commit that the diff is against, with its whole id; it must be pushed. Absent: the newest commit of the default branch. git merge-base origin/main HEAD names a good one"`
	Title       string `json:"title,omitempty" jsonschema:"What the change is meant to do, in a line"`
	Description string `json:"description,omitempty" jsonschema:"Description by its author"`
}

// Reviewed is the result of a review of a diff.
type Reviewed struct {
	Base       string    `json:"base" jsonschema:"The commit that it was reviewed against"`
	Files      int       `json:"files"`
	Additions  int       `json:"additions"`
	Deletions  int       `json:"deletions"`
	ModelState string    `json:"modelState" jsonschema:"complete, partial, unavailable or none"`
	Incomplete string    `json:"incomplete,omitempty" jsonschema:"What the model's part of the review lacks, and why"`
	Notices    []string  `json:"notices,omitempty"`
	Findings   []Finding `json:"findings" jsonschema:"In order of importance, at most 50. They are not stored: their ids name nothing"`
	More       int       `json:"more,omitempty" jsonschema:"How many findings are not listed. There is no next page: a review of a diff of fewer files lists those of each"`
	MoreIn     []string  `json:"moreIn,omitempty" jsonschema:"The files of findings that are not listed, at most 20"`
}

func reviewDiff(ctx context.Context, v *visit, in DiffWanted) (Reviewed, string, error) {
	var c field.Check
	c.That(strings.TrimSpace(in.Diff) != "" && len(in.Diff) <= maxDiff, "/diff",
		fmt.Sprintf("must be a unified diff of at most %d bytes", maxDiff))
	c.That(in.Base == "" || hexID(in.Base), "/base", "must be the whole id of a commit, of 40 or 64 hexadecimal digits")
	c.That(len(in.Title) <= maxLine, "/title", fmt.Sprintf("must have at most %d bytes", maxLine))
	c.That(len(in.Description) <= maxText, "/description", fmt.Sprintf("must have at most %d bytes", maxText))
	if err := c.Err(); err != nil {
		return Reviewed{}, "", err
	}
	at, err := v.repository(ctx, in.Repository, perm.RepoView, false)
	if err != nil {
		return Reviewed{}, "", err
	}
	if v.Code == nil {
		return Reviewed{}, "", errs.New(errs.Unavailable, "unavailable", "This process cannot read code.")
	}
	leave, err := v.reviews.enter(1, runningLimit{"token " + v.Token, maxReviewsOfToken, "This token", "reviews", retryReview},
		runningLimit{"person " + v.User.ID, maxReviewsOfPerson, "The owner of this token", "reviews", retryReview},
		runningLimit{"tenant " + v.Tenant.ID, maxReviewsOfTenant, "The tenant", "reviews", retryReview},
		runningLimit{"all", maxReviews, "This process", "reviews", retryReview})
	if err != nil {
		return Reviewed{}, "", err
	}
	defer leave()
	got, err := v.DryRun.ReviewDiff(ctx, v.Code, dryrun.DiffReview{Repository: at, Base: in.Base, Diff: []byte(in.Diff),
		Title: in.Title, Body: in.Description, Run: callRecordIn(ctx).id, Progress: progress(ctx)})
	if err != nil {
		return Reviewed{}, "", err
	}
	out := Reviewed{Base: got.Base, Additions: got.Stats.Additions, Deletions: got.Stats.Deletions, ModelState: got.ModelState,
		Incomplete: engine.Incomplete(got.ModelState, got.Redact(got.ModelNote)).WithoutChecks(got.ChecksOff).English(), Findings: []Finding{}}
	if got.Diff != nil {
		out.Files = len(got.Diff.Files)
	}
	for _, n := range got.Notices {
		out.Notices = append(out.Notices, v.text(got.Redact(n)))
	}
	found := got.Open()
	for i, f := range found {
		if f = redacted(f, got.Redact); i < maxFindings {
			out.Findings = append(out.Findings, v.finding(f))
			continue
		}
		out.More++
		if path := v.line(f.Anchor.Path); path != "" && len(out.MoreIn) < maxMoreIn && !slices.Contains(out.MoreIn, path) {
			out.MoreIn = append(out.MoreIn, path)
		}
	}
	text := fmt.Sprintf("%s in %s.", pluralize(len(found), "finding", "findings"), pluralize(out.Files, "file", "files"))
	if out.More > 0 {
		text += fmt.Sprintf(" %s not listed: moreIn names their files, and a review of a diff of fewer files lists those of each.",
			pluralize(out.More, "of them is", "of them are"))
	}
	if out.Incomplete != "" {
		text += " " + out.Incomplete
	}
	return out, text + "\n" + fenced(out.markdown()), nil
}

// markdown returns the review as Markdown for people.
func (r Reviewed) markdown() string {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "## [%s] %s: %s (%s)\n%s\n", f.Severity, f.place(), f.Title, f.Category, f.Explanation)
		if s := f.Suggestion; s != nil {
			fmt.Fprintf(&b, "\nSuggested for %s, lines %d to %d:\n%s\n", s.Path, s.StartLine, s.EndLine, s.New)
		}
		b.WriteString("\n")
	}
	for _, n := range r.Notices {
		b.WriteString(n + "\n")
	}
	return b.String()
}

// redacted returns a finding without the secrets of its change.
func redacted(f domain.Finding, redact func(string) string) domain.Finding {
	for _, text := range []*string{&f.Title, &f.Explanation, &f.RuleID, &f.Anchor.Path} {
		*text = redact(*text)
	}
	if f.Suggestion != nil {
		s := *f.Suggestion
		s.New, s.Old, s.Path = redact(s.New), redact(s.Old), redact(s.Path)
		f.Suggestion = &s
	}
	return f
}

func hexID(id string) bool {
	return (len(id) == 40 || len(id) == 64) && strings.Trim(id, "0123456789abcdef") == ""
}

// progress returns a function that reports a review's progress to the client, nil if the client did not ask
// for it.
func progress(ctx context.Context) func(ask.Progress) {
	req, _ := ctx.Value(requestKey{}).(*mcp.CallToolRequest)
	if req == nil || req.Params.GetProgressToken() == nil {
		return nil
	}
	told := 0.0
	return func(p ask.Progress) {
		told++ // progress must never fall, but each stage counts from the start again
		message := p.Stage
		if p.Total > 0 {
			message = fmt.Sprintf("%s: %d of %d", p.Stage, p.Done, p.Total)
		}
		// a client that has gone ends the call anyway
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: told,
			Message: message})
	}
}
