package tracker

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
)

// MaxCriterion is the most characters kept of a criterion. A longer one ends in an ellipsis.
const MaxCriterion = 1_000

// CriteriaSource is the place of an issue's acceptance criteria.
type CriteriaSource string

// The places of criteria, in the order of the search.
const (
	CriteriaNowhere      CriteriaSource = ""        // the issue has no criteria
	CriteriaInField      CriteriaSource = "field"   // in the mapped field
	CriteriaBelowHeading CriteriaSource = "heading" // in the description, below a heading
)

// CriterionForm is the form of a criterion.
type CriterionForm string

// The forms of criteria.
const (
	FormBox       CriterionForm = "box"       // a list item with a check box, ticked or not
	FormScenario  CriterionForm = "scenario"  // Given, When, Then
	FormNumbered  CriterionForm = "numbered"  // an item of a numbered list
	FormBulleted  CriterionForm = "bulleted"  // an item of another list
	FormRow       CriterionForm = "row"       // a row of a table
	FormParagraph CriterionForm = "paragraph" // used only without any other form
)

// FoundCriterion is a criterion with its form.
type FoundCriterion struct {
	domain.Criterion
	Form CriterionForm
}

// FoundCriteria holds the acceptance criteria of an issue and their place.
type FoundCriteria struct {
	Source  CriteriaSource
	Heading string           // original heading above them; "" if they are in a field
	List    []FoundCriterion // each text once, at most [domain.MaxCriteria], in the issue's order
	More    int              // number of further criteria
}

// Criteria returns the acceptance criteria of an issue, as [FindCriteria] finds them.
func Criteria(issue Issue, heading string) []domain.Criterion {
	var out []domain.Criterion
	for _, c := range FindCriteria(issue, heading).List {
		out = append(out, c.Criterion)
	}
	return out
}

// FindCriteria finds the acceptance criteria of an issue. It looks in the mapped field, then below the
// given heading in the description, then below a heading that plainly names criteria, such as "Acceptance
// criteria". It does not guess: it accepts a definition of done only if heading names it.
//
// Criteria are list items, scenarios of Given, When and Then, and table rows. Without any of
// these forms, they are paragraphs. In nested lists, if the upper item ends in a colon or the inner ones
// have boxes, each innermost item is a criterion, prefixed by the items above it. Otherwise the inner items
// explain the upper item and belong to it. A tick does not matter, and text that is struck out is ignored.
func FindCriteria(issue Issue, heading string) FoundCriteria {
	names := sectionNames(heading)
	if issue.CriteriaKnown {
		if out := collectCriteria(issue.Key, readItems(sectionLines(issue.Criteria), names)); len(out.List) > 0 {
			out.Source = CriteriaInField
			return out
		}
	}
	lines := sectionLines(issue.Description)
	for _, wanted := range names {
		for _, s := range sections(lines, wanted) {
			if out := collectCriteria(issue.Key, readItems(s.lines, names)); len(out.List) > 0 {
				out.Source, out.Heading = CriteriaBelowHeading, s.heading
				return out
			}
		}
	}
	return FoundCriteria{}
}

// criterionID returns the id of a criterion within an issue. Texts that differ only in white space have the
// same id.
func criterionID(key, text string) string {
	sum := sha256.Sum256([]byte(strings.TrimSpace(key) + "\x00" + strings.Join(strings.Fields(text), " ")))
	return hex.EncodeToString(sum[:16])
}

// collectCriteria converts the entries of a section to criteria.
func collectCriteria(key string, entries []entry) (out FoundCriteria) {
	entries = scenarios(entries)
	listed := false
	for _, e := range entries {
		listed = listed || e.form != FormParagraph
	}
	seen := map[string]bool{}
	for _, e := range entries {
		text := clip.Runes(e.text, MaxCriterion, "…")
		if e.form == FormParagraph && (listed || strings.HasSuffix(text, ":")) || !hasLetters(text) {
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

// sectionLines returns the lines of the first [MaxText] bytes of a text.
func sectionLines(text string) []string {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "")
	}
	text = htmlComment.ReplaceAllString(clip.Bytes(text, MaxText), "")
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", "    ", "\u00a0", " ").Replace(text)
	return strings.Split(text, "\n")
}
