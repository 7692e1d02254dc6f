package policy

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/nearest"
)

// takeFolders takes the folders of a file over. They hold under narrow too, because they ask for less, unless the tenant has locked
// the analysers or a setting whose findings they could hide.
func (r *Resolved) takeFolders(f File, tried map[string]json.RawMessage) {
	_, isTried := tried["deterministic.analysers"]
	if f.Broken != nil || len(f.Folders) == 0 || isTried {
		return
	}
	line, _ := fileSettingOf("deterministic.analysers")
	now := r.Settings[slices.IndexFunc(r.Settings, func(s Setting) bool { return s.Name == line.Name })]
	refused := ""
	if now.Locked {
		refused = "are refused, because the tenant has locked " + line.Name
	} else if guard := line.guard(r.Settings); guard != "" {
		refused = "are refused, because the tenant has locked " + guard + ", whose findings they could hide"
	}
	if refused != "" {
		r.Notes = append(r.Notes, FileNote{f.Folders[0].Place, FileFolders + " " + refused})
		sortNotes(r.Notes)
		return
	}
	r.Folders = f.Folders
	known := texts(now.Value)
	for i, folder := range f.Folders {
		for j, name := range folder.AnalysersOff {
			if len(known) == 0 || slices.Contains(known, name) {
				continue
			}
			why := fmt.Sprintf("%s[%d].analysersOff[%d] is not a name of %s", FileFolders, i, j, line.Name)
			if guess := nearest.Name(name, known); guess != "" {
				why += "; did you mean " + guess + "?"
			}
			r.Notes = append(r.Notes, FileNote{folder.Place, why})
		}
	}
	sortNotes(r.Notes)
}

// switchedOff converts folders for the policy.
func switchedOff(folders []FileFolder) (out []domain.AnalysersOff) {
	for _, f := range folders {
		out = append(out, domain.AnalysersOff{Paths: f.Paths, Names: f.AnalysersOff})
	}
	return out
}
