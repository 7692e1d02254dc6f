package intake

import (
	"fmt"
	"strings"
)

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
	sayNear     = "There is no such command. Did you mean `/assay %s`? `/assay help` lists the commands."
	sayExtra    = "Nothing was done: `/assay %s` stands alone on the first line of a comment. What else there is to say goes below it."
	sayExtraFor = "Nothing was started: only `full` may follow `/assay review` on the first line of a comment. What else there is to say goes below it."
	sayUnbuilt  = "`/assay %s` is not built yet. `/assay help` lists the commands that work."
	sayStill    = "The pause is over, but the next push is not reviewed: %s. `/assay review` asks for a review of the current head."
)

// sayHelp lists the commands.
func sayHelp() string {
	var b strings.Builder
	b.WriteString("Commands stand alone on the first line of a comment:\n\n| command | for the roles | what it does |\n|---|---|---|\n")
	for _, l := range list {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", l.form, l.who, l.does)
	}
	b.WriteString("\nNot built yet: `/assay explain`, `/assay ignore`, `/assay fix`.")
	return b.String()
}

// sayMistake says what is wrong with a command that is none of ours, or has
// words that it does not take.
func sayMistake(c command) string {
	switch {
	case c.word == wordReview:
		return sayExtraFor
	case c.word != "":
		return fmt.Sprintf(sayExtra, c.word)
	case c.near != "":
		return fmt.Sprintf(sayNear, c.near)
	}
	return sayUnknown
}

// sayUnbuiltCommand says that a command is for a later version.
func sayUnbuiltCommand(w word) string { return fmt.Sprintf(sayUnbuilt, w) }

// sayResume says what comes of the end of a pause: why is why the policy wants
// no review of the next push, "" if it wants one.
func sayResume(why string) string {
	if why == "" {
		return sayResumed
	}
	return fmt.Sprintf(sayStill, why)
}
