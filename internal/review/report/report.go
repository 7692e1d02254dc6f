// Package report writes the result of a local review for people and programs: terminal text with code
// frames, JSON, SARIF 2.1.0, Markdown, and a compact text for coding assistants.
//
// Writers are pure functions of a [Report]. Making the result, reading repositories and publishing to hosts
// do not live here.
package report

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/logsafe"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/verdict"
	"github.com/assay-dev/assay/internal/wording"
)

// Report is the result of a local review with everything that a writer shows.
type Report struct {
	Version   string // of the program
	Base      string // base of the comparison, as typed or chosen
	Head      string // "working tree", "index", or a revision
	BaseSHA   string // merge base
	HeadSHA   string // "" for a working tree
	Result    engine.Result
	Duration  time.Duration
	Frames    map[string][]string // path → lines of the new version, for code frames
	OldFrames map[string][]string // path → lines of the old version, for removed lines
	Failure   string              // why the review could not be done; "" if it was
	Gap       string              // why it is incomplete, apart from its models
	Left      []engine.FileNote   // files of the working tree that were left out, and are not in the coverage of the result
	MoreLeft  int                 // further such files without names
	FailOn    *domain.Severity    // findings of checks from this severity on are shown, however minor; nil: as usual
	quoted    bool                // paths are quoted
}

// Failed returns the report of a review that could not be done. Only the formats for programs show one.
func Failed(version string, err error) Report {
	return Report{Version: version, Failure: err.Error(), Result: engine.Result{ModelState: engine.ModelUnavailable,
		ModelNote: "the review could not be done"}}
}

// incomplete returns why the review is incomplete, "" if it is complete.
func (r Report) incomplete() string {
	if r.Failure != "" {
		return "The review could not be done: " + r.Failure
	}
	if r.Gap != "" {
		return r.Gap
	}
	if r.Result.NothingRan() {
		return r.Result.Lack().English()
	}
	if !r.Result.Incomplete() {
		return ""
	}
	if s := r.Result.ModelState; s == engine.ModelPartial || s == engine.ModelUnavailable {
		if n := r.Result.Lack().English(); n != "" {
			return n
		}
	}
	return "The review is incomplete: not everything that should have been read was."
}

// States returns the sentences that people must read about the whole review: why it is incomplete, and the
// state of the model's part.
func (r Report) States() []string {
	if r.Failure != "" {
		return []string{r.incomplete()}
	}
	out := []string{r.incomplete(), r.Result.Lack().English()}
	return slices.DeleteFunc(slices.Compact(out), func(s string) bool { return s == "" })
}

// synopsis returns the description of the change by a model with its label, or "".
func (r Report) synopsis() string {
	if r.Result.Synopsis.Text == "" {
		return ""
	}
	return wording.English(wording.Synopsis, r.Result.Synopsis.Text)
}

// head returns the name of the reviewed version, a commit by its short id.
func (r Report) head() string {
	if r.HeadSHA != "" {
		return domain.ShortCommit(r.HeadSHA)
	}
	return r.Head
}

// emptyNote returns a sentence if the change is empty, with the base of the comparison. It returns "" for
// other changes, and if a part was left out.
func (r Report) emptyNote() string {
	if r.Files().all() > 0 || r.Failure != "" || r.Gap != "" {
		return ""
	}
	base := r.Base
	if r.BaseSHA != "" && !strings.HasPrefix(r.BaseSHA, base) {
		base += " (" + domain.ShortCommit(r.BaseSHA) + ")"
	}
	return fmt.Sprintf("Nothing to review: %s does not differ from %s.", r.head(), base)
}

// clean returns the verdict of a report without findings.
func (r Report) clean() string {
	switch {
	case r.Result.NothingRan():
		return "nothing was examined"
	case r.incomplete() != "":
		return "nothing found so far"
	}
	return "nothing found"
}

// Files counts the files of a change by the extent of their review; each counts once.
type Files struct {
	Read    int `json:"read"`    // a model saw every change
	Part    int `json:"part"`    // a model saw a part
	Checked int `json:"checked"` // deterministic checks alone
	Unread  int `json:"unread"`
}

func (f Files) all() int { return f.Read + f.Part + f.Checked + f.Unread }

// String returns the counts in the words of every format.
func (f Files) String() string {
	return fmt.Sprintf("%d read, %d in part, %d checked, %d unread", f.Read, f.Part, f.Checked, f.Unread)
}

// Files counts the files of the change.
func (r Report) Files() Files {
	c := r.coverage()
	return Files{len(c.By(engine.ExtentRead)), len(c.By(engine.ExtentPart)), len(c.By(engine.ExtentChecked)),
		len(c.By(engine.ExtentUnread)) + len(r.Left) + r.MoreLeft}
}

// moreLeft says how many unread files are not named, or returns "".
func (r Report) moreLeft() string {
	if r.MoreLeft == 0 {
		return ""
	}
	return fmt.Sprintf("%s more that count as unread are not named.", count(r.MoreLeft, "file"))
}

// group holds the files of one extent that a report names.
type group struct {
	name, field string // a heading, and the field for coding assistants
	files       []engine.FileNote
}

// String names the first files of a group with the reasons.
func (g group) String() string {
	var names []string
	for i, f := range g.files {
		if i == maxNamed {
			names = append(names, fmt.Sprintf("and %d more", len(g.files)-i))
			break
		}
		name := change.ShowInvisible(f.Path)
		if f.Why != "" {
			name += " (" + f.Why + ")"
		}
		names = append(names, name)
	}
	return g.name + ": " + strings.Join(names, ", ")
}

// groups returns the files that were not read whole, by their extent. Without a model, it leaves out
// checked files that only lack a model. Files that a model should have seen come first.
func (r Report) groups() (out []group) {
	for _, g := range []group{{"Unread", engine.ExtentUnread, nil}, {"In part", engine.ExtentPart, nil},
		{"Checked", engine.ExtentChecked, nil}} {
		g.files = r.Result.Coverage.By(g.field)
		if s := r.Result.ModelState; g.field == engine.ExtentChecked && (s == engine.ModelNone || s == engine.ModelUnavailable) {
			g.files = slices.DeleteFunc(g.files, engine.FileNote.ForModel)
		}
		if len(g.files) > 0 && (g.field != engine.ExtentChecked || !r.Result.NothingRan()) {
			slices.SortStableFunc(g.files, func(a, b engine.FileNote) int { return rank(a) - rank(b) })
			out = append(out, g)
		}
	}
	return out
}

// rank is 0 for a file that a model should have seen, 1 for one that is left out by choice.
func rank(f engine.FileNote) int {
	if f.ByChoice() {
		return 1
	}
	return 0
}

// Formats lists the names of the formats, the default first.
func Formats() []string {
	return []string{"terminal", "json", "sarif", "code-quality", "markdown", "agent"}
}

// Options choose how a report is written.
type Options struct {
	Format string // one of [Formats]; "" means terminal
	Color  bool   // terminal only
	Width  int    // terminal only; columns, 0 means 100
	All    bool   // includes findings that are only stored
}

// Write writes a report in a format. In the formats for people and assistants, no line can act as a command
// to the system that runs a pipeline.
func Write(w io.Writer, r Report, o Options) error {
	switch o.Format {
	case "json", "sarif", "code-quality":
		w = logsafe.Raw(w)
	default:
		w = logsafe.New(w)
	}
	switch o.Format {
	case "", "terminal":
		return writeTerminal(w, r, o)
	case "json":
		return writeJSON(w, r, o)
	case "sarif":
		return writeSARIF(w, r, o)
	case "code-quality":
		return codeQuality(w, r, o)
	case "markdown":
		return writeMarkdown(w, r)
	case "agent":
		if err := Agent(w, r, o); err != nil {
			return err
		}
		_, err := io.WriteString(w, "\n"+r.Verdict().Block())
		return err
	}
	return fmt.Errorf("format must be one of %s", strings.Join(Formats(), ", "))
}

// The exit codes of a local review.
const (
	ExitClean    = 0 // no finding at or above the requested severity
	ExitFindings = 1 // there are such findings
	ExitError    = 2 // the review could not be done or is incomplete
)

// ExitCode returns 1 if a shown open finding reaches the severity failOn, or blocks whatever its severity
// (secrets, mandatory rules). A value that may be a secret never fails the command, and with a nil failOn no
// finding does. Otherwise an incomplete review is 2, so that it cannot pass for a clean one.
func (r Report) ExitCode(failOn *domain.Severity) int {
	if r.FailOn = failOn; failOn != nil {
		for _, f := range r.shown(false) {
			if f.Severity >= *failOn && f.Verdict != domain.VerdictUnproven && !f.Doubtful || r.Result.Blocks(f.ID) {
				return ExitFindings
			}
		}
	}
	if r.incomplete() != "" {
		return ExitError
	}
	return ExitClean
}

// Shown returns the open findings that a person sees, most severe first, then by path and line.
func (r Report) Shown() []domain.Finding { return r.shown(false) }

// shown returns the open findings that a person sees, most severe first, then by path and line: those that
// the policy shows, and those of checks that fail the command.
func (r Report) shown(all bool) []domain.Finding {
	var out []domain.Finding
	for _, f := range r.Result.Open() {
		if all || r.FailOn != nil && f.Severity >= *r.FailOn && f.Origin.Deterministic() || f.Route == domain.RouteInline ||
			f.Route == domain.RouteSummary {
			out = append(out, f)
		}
	}
	if !all {
		listed := slices.Clone(out)
		out = slices.DeleteFunc(out, func(f domain.Finding) bool { return f.Route == domain.RouteStored && isListed(f, listed) })
	}
	slices.SortStableFunc(out, func(a, b domain.Finding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), strings.Compare(a.Anchor.Path, b.Anchor.Path),
			cmp.Compare(a.Anchor.StartLine, b.Anchor.StartLine))
	})
	return out
}

// isListed reports whether another finding of the same rule has the place of a finding among its further places.
func isListed(f domain.Finding, all []domain.Finding) bool {
	return slices.ContainsFunc(all, func(o domain.Finding) bool {
		return o.RuleID == f.RuleID && slices.ContainsFunc(o.AlsoAt(), func(e domain.Evidence) bool {
			return e.Path == f.Anchor.Path && e.Start == f.Anchor.StartLine
		})
	})
}

// Verdict returns the end of the review for programs. Its counts are those of [Report.Shown]. A review without a model is
// incomplete.
func (r Report) Verdict() verdict.Verdict {
	v := verdict.Reviewed(r.shown(false), r.incomplete() == "" && len(r.Result.UnreviewedEnds()) == 0, r.Result.Stats.Left)
	if r.Failure != "" {
		v.State = verdict.Failed
	}
	v.Head = r.HeadSHA
	return v
}

// location returns "path:line" for people.
func location(a domain.Anchor) string {
	p := change.ShowInvisible(a.Path)
	switch {
	case p == "":
		return "(whole change)"
	case a.StartLine <= 0:
		return p
	}
	return fmt.Sprintf("%s:%d", p, a.StartLine)
}

// citeSentence quotes a sentence of a guideline file.
func citeSentence(e domain.Evidence) string { return e.Path + ": “" + e.Quote + "”" }

// placeNote says that evidence is a further place of its finding, "" for other evidence.
func placeNote(e domain.Evidence) string {
	if e.Kind != domain.EvidencePlace {
		return ""
	}
	return "Also here"
}

// sentence returns the rule that evidence quotes, "" for other evidence.
func sentence(e domain.Evidence) string {
	if e.Kind != domain.EvidenceRule {
		return ""
	}
	return e.Quote
}

func ext(p string) string { return strings.TrimSuffix(strings.TrimPrefix(path.Ext(p), "."), `"`) }

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// alsoAt names the further places of a finding.
func alsoAt(f domain.Finding) (places []string) {
	for _, e := range f.AlsoAt() {
		places = append(places, location(domain.Anchor{Path: e.Path, StartLine: e.Start}))
	}
	return places
}

// meantSo says that the author means the code of a finding to be so, and returns "" for other findings. Reviews on a host show such a
// finding as a question.
func meantSo(f domain.Finding) string {
	if f.Aside != wording.English(wording.AsideIntended) || f.Verdict != domain.VerdictConfirmed {
		return ""
	}
	return "A question to the author, because this is " + f.Aside
}

// evidenceNote returns the note of evidence. Documented behaviour and explanations of models have words that say what they are.
func evidenceNote(e domain.Evidence) string {
	if e.Kind == domain.EvidenceDoc {
		return "Rests on documented behaviour: " + e.Note
	}
	if e.Kind == domain.EvidenceModel {
		return "A model explains: " + e.Note
	}
	return e.Note
}
