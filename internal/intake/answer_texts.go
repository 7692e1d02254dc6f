package intake

import (
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/wording"
)

// helpLine is a line in the list of commands.
type helpLine struct {
	form, who string
	does      wording.Key
}

// The roles on the code host that may use a command.
const (
	whoWrites    = "write, maintain, admin"
	whoMaintains = "maintain, admin"
)

// helpLines contains the lines of help; docs/commands.md has the same lines.
var helpLines = []helpLine{
	{"/assay review", whoWrites, wording.HelpReview},
	{"/assay review full", whoMaintains, wording.HelpFull},
	{"/assay pause", whoWrites, wording.HelpPause},
	{"/assay resume", whoWrites, wording.HelpResume},
	{"/assay approve <digits>", whoWrites, wording.HelpApprove},
	{"/assay reject <digits> <reason>", whoWrites, wording.HelpReject},
	{"/assay explain", whoWrites, wording.HelpExplain},
	{"/assay ignore <reason>", whoWrites, wording.HelpIgnore},
	{"/assay fix", whoMaintains, wording.HelpFix},
	{"/assay help", whoWrites, wording.HelpList},
}

// answerTexts makes the answers to commands. The texts contain only our own words: nothing from the comment, and
// no mentions of people. Commands are written alike in all languages.
type answerTexts struct{ wording.Words }

// help lists the commands.
func (s answerTexts) help() markdown.Text {
	rows := []markdown.Text{s.Say(wording.HelpColumns), markdown.Const("|---|---|---|")}
	for _, l := range helpLines {
		rows = append(rows, markdown.Format("| %s | %s | %s |", markdown.Span(l.form), s.roles(l.who), s.Say(l.does)))
	}
	return markdown.Blocks(s.Say(wording.HelpBegins), markdown.Join("\n", rows...))
}

// roles formats the host's role names, which read as plain words in English.
func (s answerTexts) roles(names string) markdown.Text {
	if s.English() {
		return markdown.Line(names, 0)
	}
	return markdown.Span(names)
}

// commandForm returns the written form of a command.
func commandForm(w word) markdown.Text { return markdown.Span("/assay " + string(w)) }

// mistake describes the mistake in an unknown command, or in one with words that it does not accept.
func (s answerTexts) mistake(c command) markdown.Text {
	switch {
	case c.word == wordReview:
		return s.Say(wording.SayExtraFor)
	case c.word == wordApprove:
		return s.Say(wording.SayExtra, markdown.Span("/assay approve <digits>"))
	case c.word != "":
		return s.Say(wording.SayExtra, commandForm(c.word))
	case c.near != "":
		return s.Say(wording.SayNear, commandForm(c.near))
	}
	return s.Say(wording.SayUnknown)
}

// otherWaits names the review that waits for approval now.
func (s answerTexts) otherWaits(digits string) markdown.Text {
	return s.Say(wording.SayWaitsOther, markdown.Span("/assay approve "+digits), markdown.Span("/assay reject "+digits))
}

// resume describes the effect of ending a pause. why is the policy's reason against a review of the next
// push; "" if there will be a review.
func (s answerTexts) resume(why string) markdown.Text {
	if why == "" {
		return s.Say(wording.SayResumed)
	}
	plain := func(s string) markdown.Text { return markdown.Line(s, 0) }
	return s.Say(wording.SayStill, s.Translate(why, wording.Causes, wording.Show{Words: plain, Name: markdown.Span}))
}
