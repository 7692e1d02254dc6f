package host

import (
	"fmt"
	"maps"
	"slices"
)

// Grant changes the roles of accounts. list maps logins to words of the control interface, and words those to roles. The zero role removes
// one. account returns the id of a login. An unknown word is an error that begins with the name of the field.
func Grant[V comparable](field string, roles map[int64]V, list map[string]string, words map[string]V,
	account func(login string) int64) error {
	var none V
	for _, login := range slices.Sorted(maps.Keys(list)) {
		role, known := words[list[login]]
		if !known {
			return fmt.Errorf("%s: a role must be one of %q", field, slices.Sorted(maps.Keys(words)))
		}
		id := account(login)
		if roles[id] = role; role == none {
			delete(roles, id)
		}
	}
	return nil
}
