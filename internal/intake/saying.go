package intake

import (
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/wording"
)

// line is a line of the list of commands.
type line struct {
	form, who string
	does      wording.Key
}

// Who may use a command, by the role that the code host gives.
const (
	whoWrites    = "write, maintain, admin"
	whoMaintains = "maintain, admin"
)

// list is what help lists; docs/commands.md has the same lines.
var list = []line{
	{"/assay review", whoWrites, wording.HelpReview},
	{"/assay review full", whoMaintains, wording.HelpFull},
	{"/assay pause", whoWrites, wording.HelpPause},
	{"/assay resume", whoWrites, wording.HelpResume},
	{"/assay approve <digits>", whoWrites, wording.HelpApprove},
	{"/assay reject <digits> <reason>", whoWrites, wording.HelpReject},
	{"/assay help", whoWrites, wording.HelpList},
}

// saying makes the answers to commands. Every text is made of words of ours alone:
// nothing of the comment that asked is in it, and no person is mentioned. Commands
// are written alike in all languages.
type saying struct{ wording.Words }

// help lists the commands.
func (s saying) help() markdown.Text {
	rows := []markdown.Text{s.Say(wording.HelpColumns), markdown.Const("|---|---|---|")}
	for _, l := range list {
		rows = append(rows, markdown.Format("| %s | %s | %s |", markdown.Span(l.form), s.roles(l.who), s.Say(l.does)))
	}
	var unbuilt []markdown.Text
	for _, w := range words {
		if !w.built() {
			unbuilt = append(unbuilt, form(w))
		}
	}
	return markdown.Blocks(s.Say(wording.HelpBegins), markdown.Join("\n", rows...), s.Say(wording.HelpUnbuilt, s.List(unbuilt...)))
}

// roles are the host's names, which English readers take for words.
func (s saying) roles(names string) markdown.Text {
	if s.English() {
		return markdown.Line(names, 0)
	}
	return markdown.Span(names)
}

// form is how a command is written.
func form(w word) markdown.Text { return markdown.Span("/assay " + string(w)) }

// mistake says what is wrong with a command that is none of ours, or has words
// that it does not take.
func (s saying) mistake(c command) markdown.Text {
	switch {
	case c.word == wordReview:
		return s.Say(wording.SayExtraFor)
	case c.word == wordApprove:
		return s.Say(wording.SayExtra, markdown.Span("/assay approve <digits>"))
	case c.word != "":
		return s.Say(wording.SayExtra, form(c.word))
	case c.near != "":
		return s.Say(wording.SayNear, form(c.near))
	}
	return s.Say(wording.SayUnknown)
}

// unbuilt says that a command is for a later version.
func (s saying) unbuilt(w word) markdown.Text { return s.Say(wording.SayUnbuilt, form(w)) }

// otherWaits names what waits for approval now.
func (s saying) otherWaits(digits string) markdown.Text {
	return s.Say(wording.SayWaitsOther, markdown.Span("/assay approve "+digits), markdown.Span("/assay reject "+digits))
}

// resume says what comes of the end of a pause: why is why the policy wants no
// review of the next push, "" if it wants one.
func (s saying) resume(why string) markdown.Text {
	if why == "" {
		return s.Say(wording.SayResumed)
	}
	plain := func(s string) markdown.Text { return markdown.Line(s, 0) }
	return s.Say(wording.SayStill, s.Told(why, wording.Causes, wording.Show{Words: plain, Name: markdown.Span}))
}
