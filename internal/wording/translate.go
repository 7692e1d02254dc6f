package wording

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/markdown"
)

// Group is a range of keys that [read] searches.
type Group struct{ first, last Key }

// The groups.
var (
	Clauses      = Group{PartsReviewed, SomeParts}
	Reasons      = Group{WhyLargeChange, WhySymlink}
	Notices      = Group{NoticeChecksCut, NoticeFiles}
	Ends         = Group{EndPublished, EndExpired}
	Causes       = Group{SkipOff, EffortRejected}
	Unjudged     = Group{CriterionNoModel, CriterionWithheld}
	Asides       = Group{AsideSize, AsideIntended}
	Titles       = Group{TitleSecret, TitleManifestRegistry}
	Explanations = Group{SaySecret, SayMaybeSecretOld}
	RuleTexts    = Group{SayRulePlaces, SayRulePlaces} // of findings of rules, whose other words are those of people
	FixEnds      = Group{FixEndMoved, FixEndCrashed}
	JobLogs      = Group{JobLogOtherApp, JobLogForbidden}
	JobNotes     = Group{JobsUnread, JobsRepeated}
	JobCauses    = Group{JobCauseUnknown, JobCauseMore}

	// groups are the groups that have a key alone.
	groups = []Group{Clauses, Reasons, Notices, Ends, Causes, Unjudged, Asides, Titles, Explanations, FixEnds, JobLogs, JobNotes, JobCauses}
)

// English returns a text in its stored form: in English, with numbers in plain digits. If the first
// argument is a number, it decides between singular and plural.
func English(k Key, args ...any) string {
	phrase := english[k]
	form := string(phrase.Other)
	if len(args) > 0 && args[0] == 1 && phrase.One != "" {
		form = string(phrase.One)
	}
	return place.ReplaceAllStringFunc(form, func(p string) string {
		if n := int(p[1] - '0'); n < len(args) {
			return fmt.Sprint(args[n])
		}
		return ""
	})
}

var place = regexp.MustCompile(`\{\d\}`)

// Show converts stored text from outside to safe Markdown. Words converts a whole sentence, and Name an
// argument of one of our texts.
type Show struct{ Words, Name func(string) markdown.Text }

// Translate translates a stored English text of a group. Text that no group member made is shown unchanged with
// show.Words, and so is everything if the language is English.
func (w Words) Translate(stored string, g Group, show Show) markdown.Text {
	if stored == "" || w.English() {
		return show.Words(stored)
	}
	k, args := read(stored, g)
	if k == none {
		return show.Words(stored)
	}
	shown := make([]markdown.Text, len(args))
	for i, a := range args {
		shown[i] = w.arg(a, lists(k, i), show)
	}
	if len(args) > 0 {
		if n, is := digits(args[0]); is {
			return w.Count(k, n, shown[1:]...)
		}
	}
	return w.Say(k, shown...)
}

// Knows reports whether a text of the group made the stored one.
func (g Group) Knows(stored string) bool {
	k, _ := read(stored, g)
	return k != none
}

// lists reports whether an argument of a text is an enumeration.
func lists(k Key, place int) bool {
	switch k {
	case NoticeInstructions, NoticeOutputs, NoticeGuidelinesUnread, NoticeGuidelinesCut, NoticeGuidelinesSilent, NoticeSwitches,
		SayBidi, SayBidiMore, SayTag, SayTagMore, SayZeroWidth, SayZeroWidthMore, NoticeRuleTime, NoticeRulePattern, NoticeRuleProgram,
		NoticeAnalysersFailed, NoticeProgramAbsent, NoticeProgramSandbox, NoticeProgramVersion,
		NoticeProgramTime, NoticeProgramMemory, NoticeProgramLimit, NoticeProgramTree, NoticeProgramOff, NoticeProgramFailed, NoticeProgramReport:
		return true
	case NoticeRules:
		return place == 2
	case NoticeLongLines, NoticeFileSettings, NoticeAnalysersLeft, NoticeRunsLeft, NoticeProgramFiles:
		return place == 1
	}
	return false
}

// more matches an enumeration that was cut.
var more = regexp.MustCompile(`^(.*?)(?:,| and) (\d+) more$`)

func (w Words) arg(stored string, list bool, show Show) markdown.Text {
	if n, is := digits(stored); is {
		return w.Number(n)
	}
	if !list {
		return show.Name(stored)
	}
	rest := 0
	if m := more.FindStringSubmatch(stored); m != nil {
		stored = m[1]
		rest, _ = digits(m[2])
	}
	var parts []markdown.Text
	for part := range strings.SplitSeq(stored, ", ") {
		parts = append(parts, w.arg(part, false, show))
	}
	if rest > 0 {
		return w.Say(NamedMore, w.List(parts...), w.Number(rest))
	}
	return w.List(parts...)
}

// form is a form of an English text: its literal parts, and a pattern for its arguments.
type form struct {
	key     Key
	literal string
	size    int // of the literal parts, in bytes
	pattern *regexp.Regexp
	places  []int // argument numbers in the order of the text
}

// forms returns the English forms of all stored texts.
var forms = sync.OnceValue(func() (out []form) {
	for _, g := range groups {
		for k := g.first; k <= g.last; k++ {
			for _, text := range []string{string(english[k].Other), string(english[k].One)} {
				if text != "" {
					out = append(out, formOf(k, text))
				}
			}
		}
	}
	return out
})

func formOf(k Key, text string) form {
	f := form{key: k, literal: text}
	parts := place.Split(text, -1)
	for i, p := range parts {
		f.size += len(p)
		parts[i] = regexp.QuoteMeta(p)
	}
	for _, p := range place.FindAllString(text, -1) {
		f.places = append(f.places, int(p[1]-'0'))
	}
	if len(f.places) > 0 {
		f.pattern = regexp.MustCompile(`(?s)^` + strings.Join(parts, `(.+?)`) + `$`)
	}
	return f
}

// read finds the text of a group that made a stored text, and its arguments. If several match, it returns
// the one with the most literal bytes.
func read(stored string, g Group) (k Key, args []string) {
	size := -1
	for _, f := range forms() {
		if f.key < g.first || f.key > g.last || f.size <= size {
			continue
		}
		if f.pattern == nil {
			if f.literal == stored {
				return f.key, nil
			}
			continue
		}
		m := f.pattern.FindStringSubmatch(stored)
		if m == nil {
			continue
		}
		k, size, args = f.key, f.size, make([]string, len(f.places))
		for i, n := range f.places {
			if n < len(args) {
				args[n] = m[i+1]
			}
		}
	}
	return k, args
}
