package report

import (
	"encoding/json"
	"io"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/engine"
)

// jsonVersion is the version of the JSON format. Within a version members may be added, but not removed or
// changed in meaning.
const jsonVersion = 1

// Document is the JSON format. Findings are sorted by severity, most severe first, then by path and line.
type Document struct {
	Version    int              `json:"version"`
	Tool       Tool             `json:"tool"`
	Base       string           `json:"base"`
	Head       string           `json:"head"`
	BaseSHA    string           `json:"baseSha,omitempty"`
	HeadSHA    string           `json:"headSha,omitempty"`
	Tier       string           `json:"tier"`
	Model      ModelState       `json:"model"`
	Complete   bool             `json:"complete"`          // false: an absent finding proves nothing
	Failure    string           `json:"failure,omitempty"` // why the review could not be done
	Findings   []domain.Finding `json:"findings"`
	Blocking   []string         `json:"blocking"` // ids of findings that fail the check whatever their severity
	Files      Files            `json:"files"`
	Coverage   engine.Coverage  `json:"coverage"`
	Synopsis   string           `json:"synopsis,omitempty"` // description of the change by a model, not verified
	Notices    []string         `json:"notices,omitempty"`
	Criteria   []Criterion      `json:"criteria,omitempty"` // of the given issue
	Stats      engine.Stats     `json:"stats"`
	DurationMs int64            `json:"durationMs"`
}

// Tool names the program that wrote the document.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Criterion is an acceptance criterion with its verdict.
type Criterion struct {
	Ticket  string  `json:"ticket"`
	ID      string  `json:"id"`
	Text    string  `json:"text"`
	Verdict string  `json:"verdict"` // met, partly, not_met, unclear, not_applicable
	Reason  string  `json:"reason"`
	Places  []Place `json:"places,omitempty"` // for met and partly the proof, for not_met the searched places
}

// Place is a found or searched place. A pattern of paths has no lines.
type Place struct {
	Path      string `json:"path"`
	StartLine int    `json:"startLine,omitempty"`
	EndLine   int    `json:"endLine,omitempty"`
	Note      string `json:"note,omitempty"`
}

// criteria returns the criteria of a report with their verdicts.
func criteria(r Report) (out []Criterion) {
	for _, c := range r.Result.CriterionChecks {
		one := Criterion{Ticket: c.Ticket, ID: c.Criterion.ID, Text: c.Criterion.Text, Verdict: c.Verdict, Reason: c.Reason}
		for _, p := range c.Places {
			one.Places = append(one.Places, Place(p))
		}
		out = append(out, one)
	}
	return out
}

// ModelState says how complete the model's part of the review is.
type ModelState struct {
	State string `json:"state"` // complete, partial, unavailable, none
	Note  string `json:"note,omitempty"`
}

// writeJSON writes a [Document]. Without Options.All, it leaves out findings that are only stored.
func writeJSON(w io.Writer, r Report, o Options) error {
	r = r.Quoted()
	findings := r.shown(o.All)
	if findings == nil {
		findings = []domain.Finding{}
	}
	c := r.coverage()
	c.Skipped = slices.Concat(c.Skipped, r.Left)
	for _, l := range []*[]engine.FileNote{&c.Reviewed, &c.Skimmed, &c.Skipped} {
		if *l == nil {
			*l = []engine.FileNote{}
		}
	}
	blocking := r.Result.Blocking
	if blocking == nil {
		blocking = []string{}
	}
	notices := r.notices()
	for _, n := range []string{r.Gap, r.moreLeft(), r.emptyNote()} {
		if n != "" {
			notices = append([]string{n}, notices...)
		}
	}
	return encode(w, Document{
		Version: jsonVersion, Tool: Tool{"assay", r.Version}, Base: r.Base, Head: r.Head, BaseSHA: r.BaseSHA, HeadSHA: r.HeadSHA,
		Tier: r.Result.Tier, Model: ModelState{r.Result.ModelState, r.Result.ModelNote}, Findings: findings, Blocking: blocking,
		Files: r.Files(), Coverage: c, Synopsis: r.Result.Synopsis.Text, Notices: notices, Complete: r.incomplete() == "", Failure: r.Failure,
		Criteria: criteria(r),
		Stats:    r.Result.Stats, DurationMs: r.Duration.Milliseconds(),
	})
}

func encode(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
