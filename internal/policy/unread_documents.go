package policy

import ()

// The documents that this version stores but does not read.
const (
	DocMine         Document = "personal assignment settings"
	DocAvailability Document = "availability"
	DocLink         Document = "repository link"
	DocPattern      Document = "pattern repository"
)

// Unread is a kind of document that is stored and changes nothing, because the part of the product that
// reads it is missing. The change that builds the part deletes the line.
type Unread struct {
	Document Document
	Settings []string // JSON names of its fields
	Note     string   // missing part, for people who store or read the document
}

// AllUnread returns the table, from which answers and documentation are made.
func AllUnread() []Unread {
	return []Unread{
		{DocMine, []string{"optOut", "maxOpenReviews", "timeZone", "workingHours", "wantedPaths", "unwantedPaths"},
			"Suggesting reviewers is not built yet. These settings change nothing."},
		{DocAvailability, []string{"kind"}, "Suggesting reviewers is not built yet. An absence changes nothing."},
		{DocLink, []string{"kind", "note"}, "Reviews do not read linked repositories yet."},
		{DocPattern, []string{"paths", "note"}, "Reviews do not read pattern repositories yet."},
	}
}

// UnreadIn lists the fields of a kind of document that have no effect; nil if the kind is read.
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
