// Package policy reads the settings of a tenant, and computes the review policy
// of a repository from the product's defaults, the tenant's, the repository's
// own and what the tenant has locked. Whoever shows a setting and whoever acts
// on it ask here.
//
// Repositories that appear are stored here, because what their tenant wants for
// new ones is part of what holds. Changing settings, and acting on a policy, do
// not live here.
package policy
