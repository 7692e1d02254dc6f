package intake

import "github.com/assay-dev/assay/internal/markdown"

// line is a line of the list of commands.
type line struct{ form, who, does string }

// Who may use a command, by the role that the code host gives.
const (
	whoWrites    = "write, maintain, admin"
	whoMaintains = "maintain, admin"
)

// list is what help lists; docs/commands.md has the same lines.
var list = []line{
	{"/assay review", whoWrites, "Reviews the current head, also where it was reviewed, or where no event would start a review."},
	{"/assay review full", whoMaintains, "The same, without what earlier reviews of the pull request have seen: everything again."},
	{"/assay pause", whoWrites, "No event starts a review of this pull request any more. A review that is under way goes on."},
	{"/assay resume", whoWrites, "Ends the pause."},
	{"/assay help", whoWrites, "Lists the commands."},
}

// What is said. Every text is made of words of ours alone: nothing of the comment
// that asked is in it, and no person is mentioned.
const (
	sayPaused   = "Reviews of this pull request are paused: no push starts one. `/assay resume` ends the pause, and `/assay review` asks for one review."
	sayResumed  = "The pause is over: the next push is reviewed. `/assay review` asks for a review of the current head."
	sayNotOpen  = "Nothing was started: the pull request is not open. Reopen it first."
	sayRole     = "Nothing was started: `/assay review full` needs the role maintain or admin on this repository. `/assay review` needs write."
	sayUnknown  = "There is no such command. `/assay help` lists those that there are."
	sayNear     = "There is no such command. Did you mean %s? `/assay help` lists the commands."
	sayExtra    = "Nothing was done: %s stands alone on the first line of a comment. What else there is to say goes below it."
	sayExtraFor = "Nothing was started: only `full` may follow `/assay review` on the first line of a comment. What else there is to say goes below it."
	sayUnbuilt  = "%s is not built yet. `/assay help` lists the commands that work."
	sayStill    = "The pause is over, but the next push is not reviewed: %s. `/assay review` asks for a review of the current head."
)

// sayHelp lists the commands.
func sayHelp() markdown.Text {
	var rows []markdown.Text
	for _, l := range list {
		rows = append(rows, markdown.Format("| %s | %s | %s |", markdown.Span(l.form), markdown.Line(l.who, 0), markdown.Line(l.does, 0)))
	}
	return markdown.Blocks(markdown.Const("Commands stand alone on the first line of a comment:"),
		markdown.Format("| command | for the roles | what it does |\n|---|---|---|\n%s", markdown.Join("\n", rows...)),
		markdown.Const("Not built yet: `/assay explain`, `/assay ignore`, `/assay fix`."))
}

// form is how a command is written.
func form(w word) markdown.Text { return markdown.Span("/assay " + string(w)) }

// sayMistake says what is wrong with a command that is none of ours, or has
// words that it does not take.
func sayMistake(c command) markdown.Text {
	switch {
	case c.word == wordReview:
		return markdown.Const(sayExtraFor)
	case c.word != "":
		return markdown.Format(sayExtra, form(c.word))
	case c.near != "":
		return markdown.Format(sayNear, form(c.near))
	}
	return markdown.Const(sayUnknown)
}

// sayUnbuiltCommand says that a command is for a later version.
func sayUnbuiltCommand(w word) markdown.Text { return markdown.Format(sayUnbuilt, form(w)) }

// sayResume says what comes of the end of a pause: why is why the policy wants
// no review of the next push, "" if it wants one.
func sayResume(why string) markdown.Text {
	if why == "" {
		return markdown.Const(sayResumed)
	}
	return markdown.Format(sayStill, markdown.Line(why, 0))
}
