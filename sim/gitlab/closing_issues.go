package gitlab

import "regexp"

// closing matches the words with which a description closes an issue of the project or of an external tracker
// (lib/gitlab/closing_issue_extractor.rb of gitlab-org/gitlab, shortened).
var closing = regexp.MustCompile(`(?i)\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)):? +` +
	`(?:#([0-9]+)|([A-Z][A-Z0-9_]+-[0-9]+))`)

// listClosed lists the issues that the description of a merge request closes; with an external tracker, those
// of that tracker, by their keys.
func listClosed(c *call) *reply {
	return locked(c, func(m *mergeRequest) *reply {
		list := []any{}
		for _, match := range closing.FindAllStringSubmatch(m.Body, -1) {
			switch {
			case c.project.Tracker && match[2] != "":
				list = append(list, obj{"id": match[2], "title": "Title of this issue"})
			case !c.project.Tracker && match[1] != "":
				list = append(list, obj{"id": 4711, "iid": match[1], "project_id": c.project.ID, "title": "Title of this issue", "state": "opened"})
			}
		}
		return ok(list)
	})
}
