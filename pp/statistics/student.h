/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Student's distribution, also for degrees of freedom that are no whole number. */
#ifndef PP_STATISTICS_STUDENT_H
#define PP_STATISTICS_STUDENT_H

/* How often an interval has the true value, and what is no change is not called one. */
#define PP_CONFIDENCE 0.95
/* Standard errors to each side that have PP_CONFIDENCE of a normal distribution. */
#define PP_CONFIDENCE_ERRORS 1.959963984540054

/* The probability of a value that is at least @t away from 0, on either side; @freedom: above 0. */
double pp_student_beyond(double t, double freedom);

/* The value beyond which, on either side, are 1 - PP_CONFIDENCE; @freedom: 1 or more. */
double pp_student(double freedom);

#endif
