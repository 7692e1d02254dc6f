package tracker

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
)

// MaxCriterion is how many characters of a criterion are kept: what is longer ends in
// an ellipsis.
const MaxCriterion = 1_000

// CriteriaSource says where the acceptance criteria of an issue stand.
type CriteriaSource string

// The places where criteria are looked for, in this order.
const (
	CriteriaNowhere      CriteriaSource = ""        // there are none
	CriteriaInField      CriteriaSource = "field"   // in the mapped field
	CriteriaBelowHeading CriteriaSource = "heading" // in the description, below a heading
)

// CriterionForm is how a criterion is written.
type CriterionForm string

// The forms of criteria.
const (
	FormBox       CriterionForm = "box"       // an item with a check box, ticked or not
	FormScenario  CriterionForm = "scenario"  // Given, When, Then
	FormNumbered  CriterionForm = "numbered"  // an item of a numbered list
	FormBulleted  CriterionForm = "bulleted"  // an item of another list
	FormRow       CriterionForm = "row"       // a row of a table
	FormParagraph CriterionForm = "paragraph" // where there is none of the others
)

// FoundCriterion is a criterion with how it is written.
type FoundCriterion struct {
	domain.Criterion
	Form CriterionForm
}

// FoundCriteria are the acceptance criteria of an issue, and where they stand.
type FoundCriteria struct {
	Source  CriteriaSource
	Heading string           // as it is written, where they stand below one
	List    []FoundCriterion // each text once, at most [domain.MaxCriteria], in their order
	More    int              // how many there are beyond
}

// Criteria returns the acceptance criteria of an issue, as [FindCriteria] finds them.
func Criteria(issue Issue, heading string) []domain.Criterion {
	var out []domain.Criterion
	for _, c := range FindCriteria(issue, heading).List {
		out = append(out, c.Criterion)
	}
	return out
}

// FindCriteria looks for the acceptance criteria of an issue: in the mapped field; where
// that is absent or has none, below the heading in the description; else below a heading
// that plainly says so, such as "Acceptance criteria". Nothing else is guessed: a
// definition of done is none, for instance, unless it is the heading that was given.
//
// Criteria are the items of lists, scenarios of Given, When and Then, and rows of
// tables, and where there are none of them paragraphs. Of nested lists the innermost
// items are criteria, with what stands above them, where the upper item ends in a colon
// or the inner ones have boxes; else the inner items explain the upper one and belong to
// it. Whether a box is ticked says nothing, and what is struck out is no criterion.
func FindCriteria(issue Issue, heading string) FoundCriteria {
	names := sectionNames(heading)
	if issue.CriteriaKnown {
		if out := collect(issue.Key, readItems(sectionLines(issue.Criteria), names)); len(out.List) > 0 {
			out.Source = CriteriaInField
			return out
		}
	}
	lines := sectionLines(issue.Description)
	for _, wanted := range names {
		for _, s := range sections(lines, wanted) {
			if out := collect(issue.Key, readItems(s.lines, names)); len(out.List) > 0 {
				out.Source, out.Heading = CriteriaBelowHeading, s.heading
				return out
			}
		}
	}
	return FoundCriteria{}
}

// criterionID names a criterion of an issue: equal texts, but for white space, have equal
// names.
func criterionID(key, text string) string {
	sum := sha256.Sum256([]byte(strings.TrimSpace(key) + "\x00" + strings.Join(strings.Fields(text), " ")))
	return hex.EncodeToString(sum[:16])
}

// collect makes criteria of what stands in a section.
func collect(key string, entries []entry) (out FoundCriteria) {
	entries = scenarios(entries)
	listed := false
	for _, e := range entries {
		listed = listed || e.form != FormParagraph
	}
	seen := map[string]bool{}
	for _, e := range entries {
		text := clip.Runes(e.text, MaxCriterion, "…")
		if e.form == FormParagraph && (listed || strings.HasSuffix(text, ":")) || !worded(text) {
			continue
		}
		id := criterionID(key, text)
		switch {
		case seen[id]:
			continue
		case len(out.List) == domain.MaxCriteria:
			out.More++
		default:
			out.List = append(out.List, FoundCriterion{domain.Criterion{ID: id, Text: text}, e.form})
		}
		seen[id] = true
	}
	return out
}

// sectionLines are the lines of a text of at most [MaxText] bytes.
func sectionLines(text string) []string {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "")
	}
	text = htmlComment.ReplaceAllString(clip.Bytes(text, MaxText), "")
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", "    ", "\u00a0", " ").Replace(text)
	return strings.Split(text, "\n")
}
