package repofile

import (
	"fmt"

	"github.com/goccy/go-yaml/ast"

	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/policy"
)

// maxAnalysersOff is the most names in one entry of folders.
const maxAnalysersOff = 20

// folders reads the list of analysers that are off for some files.
func (r *reader) folders(at policy.Place, n ast.Node) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		r.refuse(at, policy.FileFolders+" must be a list")
		return
	}
	for i, v := range list.Values {
		if i == maxRules {
			r.refuse(placeOf(v), fmt.Sprintf("%s must have at most %d entries; the rest is left out", policy.FileFolders, maxRules))
			return
		}
		place := fmt.Sprintf("%s[%d]", policy.FileFolders, i)
		pairs, ok := mapping(v)
		if !ok {
			r.refuse(placeOf(v), place+" must be a group with paths, analysersOff")
			continue
		}
		if f, ok := r.folder(place, policy.FileFolder{Place: placeOf(v)}, pairs); ok {
			r.file.Folders = append(r.file.Folders, f)
		}
	}
}

// folder reads the fields of one entry, and reports whether the entry has an effect.
func (r *reader) folder(place string, f policy.FileFolder, pairs []*ast.MappingValueNode) (policy.FileFolder, bool) {
	before := len(r.file.Refused) + r.more
	for _, p := range pairs {
		at := placeOf(p.Key)
		key, ok := p.Key.(*ast.StringNode)
		if !ok {
			r.refuse(at, place+": a name must be plain text")
			continue
		}
		names, isList := textList(p.Value)
		var c field.Check
		switch key.Value {
		case "paths":
			c.That(isList && len(names) > 0, "", fmt.Sprintf("must be a list of 1 to %d path patterns", maxPaths))
			c.Globs("", names)
			f.Paths = names
		case "analysersOff":
			c.That(isList && len(names) > 0 && len(names) <= maxAnalysersOff, "",
				fmt.Sprintf("must be a list of 1 to %d names of analysers", maxAnalysersOff))
			for i, name := range names {
				c.That(policy.IsAnalyserName(name), field.At("", i), "must be the name of an analyser, such as shellcheck")
			}
			f.AnalysersOff = names
		default:
			r.refuse(at, place+": "+r.unknown(key.Value, []string{"paths", "analysersOff"}))
			continue
		}
		if wrong := c.Fields(); len(wrong) > 0 {
			r.refuse(entryPlace(p.Value, wrong[0].Pointer, at), place+"."+key.Value+" "+wrong[0].Message)
		}
	}
	switch {
	case len(r.file.Refused)+r.more > before:
		return f, false
	case len(f.Paths) == 0:
		r.refuse(f.Place, place+" needs paths")
		return f, false
	case len(f.AnalysersOff) == 0:
		r.refuse(f.Place, place+" needs analysersOff")
		return f, false
	}
	return f, r.room(place, f.Place, len(f.Paths))
}
