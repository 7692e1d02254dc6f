package policy

import (
	"slices"

	"github.com/assay-dev/assay/internal/domain"
)

// The documents that no part of this version reads, as a whole.
const (
	DocMine         Document = "personal assignment settings"
	DocAvailability Document = "availability"
	DocLink         Document = "repository link"
	DocPattern      Document = "pattern repository"
)

// Unread is a kind of document that is stored and changes nothing, because the part
// of the product that reads it is missing. The change that builds the part deletes the line.
type Unread struct {
	Document Document
	Settings []string // its fields, by their names in JSON
	Note     string   // what is missing, for people who store or read the document
}

// AllUnread is the table. Answers and documentation are read from it.
func AllUnread() []Unread {
	return []Unread{
		{DocMine, []string{"optOut", "maxOpenReviews", "timeZone", "workingHours", "wantedPaths", "unwantedPaths"}, "Suggesting reviewers is not built yet. These settings change nothing."},
		{DocAvailability, []string{"kind"}, "Suggesting reviewers is not built yet. An absence changes nothing."},
		{DocLink, []string{"kind", "note"}, "Reviews do not read linked repositories yet."},
		{DocPattern, []string{"paths", "note"}, "Reviews do not read pattern repositories yet."},
	}
}

// UnreadIn lists what a document of a kind says without effect; nil if reviews and
// suggestions read that kind.
func UnreadIn(of Document) (out []NotInEffect) {
	for _, line := range AllUnread() {
		if line.Document != of {
			continue
		}
		for _, name := range line.Settings {
			out = append(out, NotInEffect{Setting: name, Note: line.Note})
		}
	}
	return out
}

// UnmadeEvents lists the chosen kinds of events of which this version makes none, as
// values of a setting; nil if it makes all of them.
func UnmadeEvents(setting string, chosen []string) (out []NotInEffect) {
	for _, kind := range domain.EventKinds() {
		if !kind.Made && slices.Contains(chosen, kind.Name) {
			out = append(out, NotInEffect{Setting: setting, Note: "This version makes no events of the kind " + kind.Name + ". Nothing is sent for it."})
		}
	}
	return out
}
