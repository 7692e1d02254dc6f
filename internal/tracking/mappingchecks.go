package tracking

import "fmt"

// allProjects is the name of a trial's line that concerns all projects.
const allProjects = "projects"

// checks summarises a trial of look projects.
func (r trial) checks(t MappingTrial, tried int) []MappingCheck {
	out := []MappingCheck{}
	for _, p := range t.Projects {
		ok, message := r.check(p)
		out = append(out, MappingCheck{p.Key, ok, message})
	}
	switch {
	case !t.Complete:
		out = append(out, MappingCheck{allProjects, false, fmt.Sprintf("The time was over when %d of %d projects were read.",
			len(t.Projects), tried)})
	case len(t.Projects) == 0:
		out = append(out, MappingCheck{allProjects, false, "The account sees no project."})
	case t.More > 0:
		out = append(out, MappingCheck{allProjects, true, fmt.Sprintf("%d more projects were not looked at.", t.More)})
	}
	return out
}

// check summarises the trial of a project: whether acceptance criteria are at the place that the mapping
// names.
func (r trial) check(p MappingProject) (ok bool, message string) {
	with, criteria := 0, 0
	for _, i := range p.Issues {
		if len(i.Criteria) > 0 {
			with, criteria = with+1, criteria+len(i.Criteria)+i.More
		}
	}
	switch {
	case p.Problem != "":
		return false, p.Problem
	case len(p.Issues) == 0:
		return true, "There is no issue to read."
	case r.mapping.AcceptanceCriteria == nil:
		return true, fmt.Sprintf("Issues were read: %d. The mapping names no place for acceptance criteria, so none are judged.", len(p.Issues))
	case with == 0:
		return false, fmt.Sprintf("No issue of %d that were read has acceptance criteria where the mapping says.", len(p.Issues))
	}
	return true, fmt.Sprintf("Of %[2]d issues that were read %[1]d have acceptance criteria where the mapping says, %[3]d in all.",
		with, len(p.Issues), criteria)
}
