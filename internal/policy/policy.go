// Package policy says what holds: the settings of a tenant, and the review
// policy of a repository out of the product's defaults, the tenant's, the
// repository's own, and what the tenant has locked. Whoever shows a setting and
// whoever acts on it ask here.
//
// Changing what is stored, and acting on a policy, do not live here.
package policy
