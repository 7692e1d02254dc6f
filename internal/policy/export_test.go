package policy

import "reflect"

// TagsOf returns the tags of a setting's field, which describe it. It returns "" for an unknown setting.
func TagsOf(name string) reflect.StructTag {
	tag, _ := fieldOf(reflect.TypeFor[RepositoryPolicyUpdate](), name)
	return tag
}
