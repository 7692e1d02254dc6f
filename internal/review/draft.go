package review

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/render"
	runs "github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/store"
)

// draft is everything that the text of a run depends on. If the text waits for a person's decision, the
// draft is stored beside the output, without secrets, so that the text can be made again without some
// findings or with other words.
type draft struct {
	Result      engine.Result         `json:"result"`
	Run         render.Run            `json:"run"`
	First       bool                  `json:"first"`
	Back        bool                  `json:"back,omitempty"` // a published review covers the same head, target and merge base
	Policy      domain.Policy         `json:"policy"`
	Host        codehost.Capabilities `json:"host"`
	DetailsURL  string                `json:"detailsUrl"`
	FindingsURL string                `json:"findingsUrl,omitempty"` // see [render.Input]
	Raised      []publish.Raise       `json:"raised,omitempty"`
	Issues      []publish.Issue       `json:"issues,omitempty"` // how the tickets of the result were read; without texts

	// Facts that only a running run can find out.
	Links    map[string]string `json:"links,omitempty"`    // pages of files by place
	Bases    map[string]string `json:"bases,omitempty"`    // pages of files at the target
	Unplaced []string          `json:"unplaced,omitempty"` // findings whose lines the diff does not show

	redact func(string) string
}

// pages are the addresses of files on the host.
type pages struct {
	head func(path string, first, last int) string
	base func(path string) string
}

// output renders the draft. placed reports whether the host can show a comment on its lines.
func (d draft) output(p pages, placed func(publish.Comment) bool) output {
	text := render.Render(d.input(p))
	out := output{Kind: publish.KindReview, Payload: payload(d.Run.HeadSHA, text, d.Result, d.First)}
	switch {
	case d.Policy.PublishMode == domain.PublishSilent:
		out.Kind = publish.KindNone
	case (d.Policy.QuietWhenNothingNew || d.Back) && !text.New, d.Policy.CleanReview == domain.CleanCheck && text.Clean:
		out.Kind = publish.KindEdit
	}
	out.Payload.Language, out.Payload.Raised, out.Payload.Issues = d.Policy.Language, d.Raised, d.pieces(text.Pieces)
	out.Payload = out.Payload.Placed(placed, d.Host.MaxBody)
	return out
}

func (d draft) input(p pages) render.Input {
	return render.Input{Result: d.Result, Run: d.Run, First: d.First, Mode: d.Policy.PublishMode, Policy: d.Policy,
		DetailsURL: d.DetailsURL, FindingsURL: d.FindingsURL, Redact: d.redact, LinkFor: p.head, BaseLink: p.base, Host: d.Host}
}

// await stores the output with its draft and lets it wait for a decision. The output is rendered from the
// stored draft, as after a decision, so that only a person's changes can alter it.
func (w *work) await(ctx context.Context, d draft, placed func(publish.Comment) bool, how string) error {
	kept, err := d.stored(pages{w.pages, w.based}, placed)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	out, err := w.Rerender(string(raw), domain.ApprovalChanges{})
	if err != nil {
		return err
	}
	row, err := w.Store.CreateOutput(ctx, w.run.Owner(), w.run.ID, "", out.Body, out.Digest)
	if err != nil {
		return err
	}
	return w.Runs.Await(ctx, w.run, store.NewApproval{Output: row.ID, Run: w.run.ID, Repository: w.run.Repository, Digest: row.Digest,
		Draft: string(raw), For: runs.Waits(d.Policy)}, how, kept.Result.Findings)
}

// stored returns the draft in its stored form: only the parts that the text shows, without secrets, and with
// the addresses of every place that it may name.
func (d draft) stored(p pages, placed func(publish.Comment) bool) (draft, error) {
	d.Result.Findings = slices.DeleteFunc(d.Result.Open(), func(f domain.Finding) bool { return f.Route == domain.RouteStored })
	d.Result.Coverage = nameFiles(d.Result.Coverage)
	d.Links, d.Bases = map[string]string{}, map[string]string{}
	note := pages{
		head: func(path string, first, last int) string {
			url := p.head(path, first, last)
			d.Links[placeKey(path, first, last)] = url
			return url
		},
		base: func(path string) string {
			url := p.base(path)
			d.Bases[path] = url
			return url
		},
	}
	for _, f := range d.Result.Findings { // including those beyond the room of the first text
		a := f.Anchor
		_, _ = note.head(a.Path, 0, 0), note.head(a.Path, a.StartLine, a.EndLine)
		for _, e := range f.Evidence {
			_ = note.head(e.Path, e.Start, e.End)
		}
		if e, is := f.Guideline(); is {
			_ = note.base(e.Path)
		}
	}
	render.Render(d.input(note))
	all := d.input(note)
	all.MaxComments, all.Host.MaxComments = len(d.Result.Findings)+1, 0
	for _, c := range payload(d.Run.HeadSHA, render.Render(all), d.Result, d.First).Comments {
		if !placed(c) {
			d.Unplaced = append(d.Unplaced, c.FindingID)
		}
	}
	var err error
	d.Result, err = withoutSecrets(d.Result, d.redact)
	return d, err
}

// maxNamedFiles is how many files of one reason keep their names, more than a text names.
const maxNamedFiles = 25

// nameFiles returns a coverage with the names that a text can show; the other files only count.
func nameFiles(c engine.Coverage) engine.Coverage {
	few := func(in []engine.FileNote, most int) []engine.FileNote {
		out, seen := slices.Clone(in), map[string]int{}
		for i, f := range out {
			if seen[f.Why]++; seen[f.Why] > most {
				out[i].Path = ""
			}
		}
		return out
	}
	return engine.Coverage{Reviewed: few(c.Reviewed, 0), Skimmed: few(c.Skimmed, maxNamedFiles), Skipped: few(c.Skipped, maxNamedFiles)}
}

func placeKey(path string, first, last int) string { return fmt.Sprintf("%s:%d-%d", path, first, last) }

// withoutSecrets redacts every text of a result. A finding in a file with a secret in its name loses its
// line, and a suggestion with a secret cannot be applied.
func withoutSecrets(r engine.Result, redact func(string) string) (engine.Result, error) {
	for i, f := range r.Findings {
		if s := f.Suggestion; s != nil && redact(s.New) != s.New {
			without := *s
			without.Applies = false
			r.Findings[i].Suggestion = &without
		}
		if redact(f.Anchor.Path) != f.Anchor.Path {
			r.Findings[i].Anchor.Level = domain.AnchorFile
		}
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return r, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		return r, err
	}
	seen := map[string]string{}
	if raw, err = json.Marshal(redacted(tree, func(s string) string {
		if _, known := seen[s]; !known {
			seen[s] = redact(s)
		}
		return seen[s]
	})); err != nil {
		return r, err
	}
	var out engine.Result
	return out, json.Unmarshal(raw, &out)
}

// names are properties with values of assay, without words; they stay as they are.
var names = []string{"id", "fingerprints", "codePrints", "secretDigests", "hunkId", "hunks", "resolved", "blocking",
	"synopsisHead"}

// redacted replaces the secrets in every string of a JSON tree.
func redacted(v any, redact func(string) string) any {
	switch v := v.(type) {
	case string:
		return redact(v)
	case []any:
		for i := range v {
			v[i] = redacted(v[i], redact)
		}
	case map[string]any:
		for k := range v {
			if !slices.Contains(names, k) {
				v[k] = redacted(v[k], redact)
			}
		}
	}
	return v
}

// Rerender makes the output of a waiting review again from its stored draft, without the findings that a
// person drops and with the words that a person replaces. The text is the same as if the review had come
// out so. New words are redacted, bounded and escaped like a model's. Errors of kind [errs.Invalid] name
// findings that the review does not show; [errs.Conflict] means that no draft is stored.
func (s *Service) Rerender(kept string, c domain.ApprovalChanges) (domain.Rendered, error) {
	if kept == "" {
		return domain.Rendered{}, errs.New(errs.Conflict, "approval_unchangeable",
			"This review was made by a version that did not keep what its text is made of: it can be approved as it is, or rejected.")
	}
	var d draft
	if err := json.Unmarshal([]byte(kept), &d); err != nil {
		return domain.Rendered{}, fmt.Errorf("the stored output of a waiting review cannot be read: %w", err)
	}
	words, err := d.applyChanges(c, s.Scan)
	if err != nil {
		return domain.Rendered{}, err
	}
	d.redact = s.Scan
	p := pages{
		head: func(path string, first, last int) string { return d.Links[placeKey(path, first, last)] },
		base: func(path string) string { return d.Bases[path] },
	}
	out := d.output(p, func(c publish.Comment) bool { return !slices.Contains(d.Unplaced, c.FindingID) })
	body, digest, err := out.freeze()
	return domain.Rendered{Body: body, Digest: digest, Changes: domain.ApprovalChanges{Drop: c.Drop, Edit: words}}, err
}

// applyChanges drops and edits findings of the draft, and returns the new words as they are published.
func (d *draft) applyChanges(c domain.ApprovalChanges, scan func(string) string) (words []domain.FindingWords, err error) {
	var check field.Check
	at := func(id string) int { // decided and stored ones are not shown
		return slices.IndexFunc(d.Result.Findings, func(f domain.Finding) bool { return f.ID == id && f.Shown() })
	}
	const unknown = "must be the id of a finding that the review shows"
	for i, id := range c.Drop {
		check.That(at(id) >= 0, field.At("/drop", i), unknown)
	}
	check.Distinct("/drop", c.Drop)
	seen := map[string]bool{}
	for i, e := range c.Edit {
		pointer := field.At("/edit", i)
		check.That(at(e.FindingID) >= 0, pointer+"/findingId", unknown)
		check.That(!seen[e.FindingID] && !slices.Contains(c.Drop, e.FindingID), pointer+"/findingId", "must not appear twice, nor be dropped")
		check.That(e.Title != nil || e.Explanation != nil, pointer, "must have a title or an explanation")
		seen[e.FindingID] = true
	}
	if err := check.Err(); err != nil {
		return nil, err
	}
	for _, e := range c.Edit {
		f := &d.Result.Findings[at(e.FindingID)]
		w := domain.FindingWords{FindingID: e.FindingID}
		if e.Title != nil {
			f.Title = scan(*e.Title)
			w.Title = &f.Title
		}
		if e.Explanation != nil {
			f.Explanation = scan(*e.Explanation)
			w.Explanation = &f.Explanation
		}
		words = append(words, w)
	}
	dropped := func(id string) bool { return slices.Contains(c.Drop, id) }
	d.Result.Findings = slices.DeleteFunc(slices.Clone(d.Result.Findings), // words point into the first one
		func(f domain.Finding) bool { return dropped(f.ID) })
	d.Result.Stats.Left.Dismissed += len(c.Drop)
	d.Raised = slices.DeleteFunc(d.Raised, func(r publish.Raise) bool { return dropped(r.FindingID) })
	return words, nil
}
