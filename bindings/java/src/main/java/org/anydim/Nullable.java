// SPDX-License-Identifier: Apache-2.0
// The mark of what may be null.
package org.anydim;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Marks what may be null. Everything of this package that has no such mark never is, neither as an argument nor as a result. */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.TYPE_USE)
public @interface Nullable {}
