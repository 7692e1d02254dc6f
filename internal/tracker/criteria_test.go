package tracker

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
)

// written lists the criteria that were found, one per line with its form.
func written(f FoundCriteria) string {
	var out []string
	for _, c := range f.List {
		out = append(out, string(c.Form)+" "+c.Text)
	}
	return strings.Join(out, "\n")
}

func lines(l ...string) string { return strings.Join(l, "\n") }

func TestHowCriteriaAreWritten(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"check boxes":                 {"- [ ] It opens.\n- [x] It closes.\n* [X]  It **locks**.", "box It opens.\nbox It closes.\nbox It locks."},
		"boxes of other editors":      {"☐ It opens.\n☑ It closes.", "box It opens.\nbox It closes."},
		"numbers":                     {"1. One row\n2) Two rows\n3. Three\n   rows", "numbered One row\nnumbered Two rows\nnumbered Three rows"},
		"bullets":                     {"- a1\n\n* b1\n+ c1\n• d1", "bulleted a1\nbulleted b1\nbulleted c1\nbulleted d1"},
		"a list that ends in text":    {"- It opens\nand closes\n\nThat is all.", "bulleted It opens and closes"},
		"items below a colon":         {"- The export:\n  - has a header\n  - has rows:\n    1. of users\n    2. of groups", "bulleted The export: has a header\nnumbered The export: has rows: of users\nnumbered The export: has rows: of groups"},
		"items that explain":          {"1. The export has a header\n   - in bold\n   - in German", "numbered The export has a header: in bold; in German"},
		"boxes below a box":           {"- [ ] Export\n  - [ ] CSV\n  - [ ] PDF", "box Export: CSV\nbox Export: PDF"},
		"struck out":                  {"- ~~It opens.~~\n- It closes.", "bulleted It closes."},
		"headings between":            {"### Mobile\n- It opens.\n\n**Desktop**\n- It closes.", "bulleted Mobile: It opens.\nbulleted Desktop: It closes."},
		"a scenario":                  {"Given a user\nAnd a lock\nWhen she knocks\nThen it opens\nAnd a bell rings", "scenario Given a user And a lock When she knocks Then it opens And a bell rings"},
		"two scenarios":               {"Given a user\nWhen she knocks\nThen it opens\nGiven nobody\nWhen the wind knocks\nThen it stays shut", "scenario Given a user When she knocks Then it opens\nscenario Given nobody When the wind knocks Then it stays shut"},
		"named scenarios in code":     {"```gherkin\nFeature: doors\n\nScenario: knock\n  Given a user\n  When she knocks\n  Then it opens\n\n  Scenario Outline: ring\n  When <who> rings\n  Then it opens\n  | who |\n  | she |\n```", "scenario Scenario: knock. Given a user When she knocks Then it opens\nscenario Scenario Outline: ring. When <who> rings Then it opens who she"},
		"steps as items":              {"- **Given** a user\n- **When** she knocks\n- **Then** it opens", "scenario Given a user When she knocks Then it opens"},
		"a scenario an item":          {"- Given a user, when she knocks, then it opens\n- Given nobody, when the wind knocks, then it stays shut", "scenario Given a user, when she knocks, then it opens\nscenario Given nobody, when the wind knocks, then it stays shut"},
		"items that begin like steps": {"- When she leaves, it shuts\n- When he leaves, it shuts\n- And that is so", "bulleted When she leaves, it shuts\nscenario When he leaves, it shuts And that is so"},
		"in German":                   {"Angenommen eine Nutzerin\nWenn sie klopft\nDann geht sie auf", "scenario Angenommen eine Nutzerin Wenn sie klopft Dann geht sie auf"},
		"in Japanese":                 {"前提 利用者がいる\nもし ノックする\nならば 開く", "scenario 前提 利用者がいる もし ノックする ならば 開く"},
		"a table":                     {"| # | What | Where |\n|---|------|-------|\n| 1 | It opens | door |\n| 2 | It closes | |", "row It opens; door\nrow It closes"},
		"paragraphs alone":            {"The door:\n\nIt opens\nand when it does, it creaks.\n\nIt closes.", "paragraph It opens and when it does, it creaks.\nparagraph It closes."},
		"text beside a list":          {"This is what we want.\n\n- It opens.", "bulleted It opens."},
		"the same twice":              {"- It opens.\n- It   opens.", "bulleted It opens."},
		"links, pictures, escapes":    {"- See [the *spec*](https://example.com/a) ![x](y.png)\\_now\\_<br>and `a**b`", "bulleted See the *spec* x_now_ and `a**b`"},
		"invisible text":              {"- It\u200b op\u202eens.<!-- everything is met -->\n<!-- - hidden", "bulleted It opens."},
		"code is not a criterion":     {"- It opens.\n\n```yaml\n- name: door\n```", "bulleted It opens."},
		"marks alone":                 {"- \n- **\n- 1\n- ✅", ""},
		"nothing":                     {" \n\n", ""},
		"headings are left out":       {"## Acceptance Criteria\n- It opens.", "bulleted It opens."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := FindCriteria(Issue{Key: "PAY-1", CriteriaKnown: true, Criteria: c.in}, "")
			testkit.Equal(t, "criteria", written(got), c.want)
			if c.want != "" {
				testkit.Equal(t, "source", got.Source, CriteriaInField)
			}
		})
	}
}

func TestWhereCriteriaStand(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		heading, in, want, below string
	}{
		"a heading that says so": {"", "Intro\n- no\n## Acceptance criteria\n- yes\n### Mobile\n- also\n## Notes\n- no", "bulleted yes\nbulleted Mobile: also", "Acceptance criteria"},
		"German, bold":           {"", "**Akzeptanzkriterien:**\n- ja\n\n**Notizen**\n- nein", "bulleted ja", "Akzeptanzkriterien"},
		"a line of text":         {"", "Text.\n\nAcceptance criteria:\n1. yes\n\nNotes:\n- no", "numbered yes", "Acceptance criteria"},
		"underlined":             {"", "Acceptance Criteria\n---\n- yes\n\nOther\n===\n- no", "bulleted yes", "Acceptance Criteria"},
		"on one line":            {"", "Acceptance criteria: it opens.\n\nIt closes.", "paragraph it opens.\nparagraph It closes.", "Acceptance criteria"},
		"French, with number":    {"", "# 3. Critères d’acceptation (v2)\n- oui", "bulleted oui", "3. Critères d’acceptation (v2)"},
		"Japanese":               {"", "## 受け入れ基準\n- 開く", "bulleted 開く", "受け入れ基準"},
		"the heading that was given": {"Definition of done", "## Acceptance criteria\n- no\n## Definition of Done:\n- yes", "bulleted yes",
			"Definition of Done"},
		"the given one is not there": {"Done when", "## Acceptance criteria\n- yes", "bulleted yes", "Acceptance criteria"},
		"the given one is empty":     {"Done when", "## Done when\n\n## Acceptance criteria\n- yes", "bulleted yes", "Acceptance criteria"},
		"no guess":                   {"", "- [ ] a thing\n## Definition of done\n- no\n## Tasks\n- [ ] no\nGiven a user\nWhen x\nThen y", "", ""},
		"only a mention":             {"", "We have no acceptance criteria: sorry.\n- no", "", ""},
		"in code":                    {"", "```\n## Acceptance criteria\n- no\n```\n- no", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := FindCriteria(Issue{Key: "PAY-1", Description: c.in}, c.heading)
			testkit.Equal(t, "criteria", written(got), c.want)
			testkit.Equal(t, "heading", got.Heading, c.below)
		})
	}
	both := Issue{Key: "PAY-1", Description: "## Acceptance criteria\n- below", Criteria: "- in the field", CriteriaKnown: true}
	testkit.Equal(t, "the field comes first", Criteria(both, "")[0].Text, "in the field")
	both.Criteria = " "
	testkit.Equal(t, "an empty field has no criteria", Criteria(both, "")[0].Text, "below")
}

func TestIdentityOfCriteria(t *testing.T) {
	t.Parallel()
	a := Criteria(Issue{Key: "PAY-1", CriteriaKnown: true, Criteria: "- [ ] It opens."}, "")[0]
	b := Criteria(Issue{Key: "PAY-1", CriteriaKnown: true, Criteria: "1. It   opens."}, "")[0]
	testkit.Equal(t, "a tick, a mark and spaces change nothing", a.ID, b.ID)
	testkit.Equal(t, "it is that of the text", a.ID, criterionID("PAY-1", "It\topens."))
	if a.ID == criterionID("PAY-2", "It opens.") || a.ID == criterionID("PAY-1", "It closes.") || len(a.ID) != 32 {
		t.Errorf("identity %q", a.ID)
	}
}

func TestCriteriaAreBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range domain.MaxCriteria + 7 {
		fmt.Fprintf(&b, "- criterion %d %s\n", i, strings.Repeat("ä", 1200))
	}
	got := FindCriteria(Issue{Key: "PAY-1", CriteriaKnown: true, Criteria: b.String()[:MaxText-3]}, "")
	if len(got.List) > domain.MaxCriteria || len(got.List) < 20 {
		t.Errorf("%d criteria", len(got.List))
	}
	for _, c := range got.List[:len(got.List)-1] { // the last one ends at the end of the text
		if n := utf8.RuneCountInString(c.Text); n != MaxCriterion {
			t.Errorf("%d characters", n)
		}
	}
	many := FindCriteria(Issue{Key: "PAY-1", CriteriaKnown: true, Criteria: strings.Repeat("- x\n", 5) + manyItems(domain.MaxCriteria+7)}, "")
	testkit.Equal(t, "listed", len(many.List), domain.MaxCriteria)
	testkit.Equal(t, "beyond", many.More, 8)
	for name, text := range map[string]string{
		"nested deep":   nested(400),
		"one long line": "- " + strings.Repeat("**[a](b", MaxText),
		"tables":        strings.Repeat("|a|b|\n", MaxText/6),
		"steps":         strings.Repeat("Given a\n", MaxText/8),
		"fences":        strings.Repeat("```\n", MaxText/4),
		"headings":      strings.Repeat("## Acceptance criteria\n", MaxText/23),
	} {
		got := FindCriteria(Issue{Key: "PAY-1", Description: text, CriteriaKnown: true, Criteria: text}, "x")
		if len(got.List) > domain.MaxCriteria {
			t.Errorf("%s: %d criteria", name, len(got.List))
		}
	}
}

func manyItems(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "- item %d\n", i)
	}
	return b.String()
}

func nested(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s- a%d:\n", strings.Repeat("  ", i), i)
	}
	return b.String()
}

func FuzzCriteria(f *testing.F) {
	for _, s := range []string{"- [ ] a\n  - b:\n", "## Acceptance criteria\n1. x\n---\n", "Given a\nWhen b\nThen c", "|a|b|\n|-|-|\n|c|d|", "```\n- x\n```", "~~a~~ **b** [c](d)", "\xff- \u202ea", lines("Szenario: x", "a", "===")} {
		f.Add(s, "Done when")
	}
	f.Fuzz(func(t *testing.T, text, heading string) {
		for _, issue := range []Issue{{Key: "PAY-1", Description: text}, {Key: "PAY-1", CriteriaKnown: true, Criteria: text}} {
			got := FindCriteria(issue, heading)
			seen := map[string]bool{}
			for _, c := range got.List {
				if c.Text == "" || !utf8.ValidString(c.Text) || utf8.RuneCountInString(c.Text) > MaxCriterion || strings.IndexFunc(c.Text, unicode.IsControl) >= 0 {
					t.Errorf("criterion %q", c.Text)
				}
				if seen[c.ID] || c.ID != criterionID("PAY-1", c.Text) {
					t.Errorf("identity of %q", c.Text)
				}
				seen[c.ID] = true
			}
			if len(got.List) > domain.MaxCriteria || (len(got.List) > 0) != (got.Source != CriteriaNowhere) {
				t.Errorf("%d criteria, from %q", len(got.List), got.Source)
			}
		}
	})
}
